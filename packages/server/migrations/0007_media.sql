-- Store images of a game: one cover, one thumbnail, an ordered gallery.

create table media (
  game_id uuid not null references games on delete cascade,
  media_id uuid not null,
  kind text not null check (kind in ('cover', 'thumbnail', 'screenshot')),
  -- Place in the gallery, from 0; 0 for cover and thumbnail.
  position integer not null,
  filename text not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  size bigint not null,
  blob_key text not null,
  uploaded_at timestamptz not null default now(),
  primary key (game_id, media_id)
);
create unique index media_one_cover_and_thumbnail on media (game_id, kind) where kind <> 'screenshot';
create unique index media_by_id on media (media_id);
