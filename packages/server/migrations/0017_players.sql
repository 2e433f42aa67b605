-- What players meet: developers by their handles, web builds by the id of their file alone, and smaller copies of store images.

alter table users
  add column handle text unique check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) between 3 and 32);
create unique index files_by_id on files (file_id);
alter table media
  -- Widths in pixels of the WebP copies beside the image, ascending, and their bytes in the same order.
  add column copy_widths integer[] not null default '{}',
  add column copy_sizes integer[] not null default '{}';
