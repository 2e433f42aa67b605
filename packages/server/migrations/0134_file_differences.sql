-- What a client that has one file of a game downloads to get another one: the difference of their manifests, and a patch
-- pack. A job makes them for the files that channels offer, from those that they offered before.
create table file_differences (
  game_id uuid not null,
  file_id uuid not null,
  from_file_id uuid not null,
  -- 'none' has a reason: there is nothing that would be smaller or could be made.
  state text not null default 'waiting' check (state in ('waiting', 'made', 'none')),
  reason text check (reason in ('not_smaller', 'too_large', 'no_room', 'failed')),
  -- 1 for the version before, which is made first.
  rank integer not null default 1,
  -- How often it was begun.
  tries integer not null default 0,
  -- Since when no channel needs it; null if one does.
  unwanted_since timestamptz,
  difference_key text unique,
  difference_size bigint,
  difference_sha256 text,
  -- Bytes of the zip that a client without the pack has to fetch.
  blocks_size bigint,
  pack_key text unique,
  pack_size bigint,
  pack_sha256 text,
  primary key (game_id, file_id, from_file_id),
  foreign key (game_id, file_id) references files (game_id, file_id) on delete cascade,
  foreign key (game_id, from_file_id) references files (game_id, file_id) on delete cascade
);

create index file_differences_by_source on file_differences (game_id, from_file_id);
create index file_differences_unwanted on file_differences (unwanted_since) where unwanted_since is not null;
