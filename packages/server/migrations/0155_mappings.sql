-- Files that lead from what players run to the sources: scripts of web games with their source maps, mappings of ProGuard
-- and R8, and line mappings of IL2CPP.
create table mappings (
  game_id uuid not null references all_games on delete cascade,
  mapping_uid uuid not null,
  kind text not null check (kind in ('script', 'source_map', 'proguard', 'il2cpp')),
  -- Null for a file that was uploaded for a release, or for all builds with its debug id.
  build_id uuid,
  -- These say what the file belongs to. Empty if they are unknown.
  debug_id text not null,
  release text not null,
  dist text not null,
  -- Of a script or a source map, without the host: ~/assets/game.js.
  url text not null,
  -- The address of the source map that a script names, in the same form.
  map_url text not null,
  -- The name in the upload.
  file_name text not null,
  size bigint not null,
  stored_size bigint not null,
  checksum text not null,
  -- Files of a game with the same content share it. Null once the file turned out to be unreadable.
  blob_key text,
  state text not null default 'stored' check (state in ('stored', 'compiled', 'unreadable')),
  problem text,
  key_ref text not null,
  uploaded_at timestamptz not null default clock_timestamp(),
  -- The day on which a report last used it.
  used_on date,
  primary key (game_id, mapping_uid),
  foreign key (game_id, build_id) references builds on delete cascade,
  check ((blob_key is null) = (state = 'unreadable'))
);

create unique index mappings_by_address
  on mappings (game_id, build_id, kind, debug_id, release, dist, url, file_name) nulls not distinct;
create index mappings_by_debug_id on mappings (game_id, debug_id) where debug_id <> '';
create index mappings_by_url on mappings (game_id, url) where url <> '';
create index mappings_by_checksum on mappings (game_id, checksum);
create index mappings_by_blob on mappings (blob_key) where blob_key is not null;
create index mappings_without_build on mappings (uploaded_at) where build_id is null;
