-- Files that sentry-cli uploads in chunks, and symbols that belong to no build, because it names none.
alter table symbols alter column build_id drop not null;
alter table native_symbols alter column build_id drop not null;
create unique index symbols_by_owner on symbols (game_id, build_id, lower(debug_file), debug_id) nulls not distinct;
drop index symbols_by_build;
create unique index native_symbols_by_owner on native_symbols (game_id, build_id, checksum) nulls not distinct;
drop index native_symbols_by_build;

create table sentry_chunks (
  game_id uuid not null references all_games on delete cascade,
  -- Of the unpacked chunk.
  sha1 text not null,
  size integer not null,
  blob_key text not null,
  used_at timestamptz not null,
  primary key (game_id, sha1)
);
create index sentry_chunks_by_time on sentry_chunks (used_at);
create unique index sentry_chunks_by_blob on sentry_chunks (blob_key);

create table sentry_files (
  game_id uuid not null references all_games on delete cascade,
  -- Of the whole file.
  sha1 text not null,
  name text not null,
  -- As in symbol files; empty if the client doesn't say.
  debug_id text not null,
  -- Of source maps; empty otherwise.
  release text not null,
  dist text not null,
  chunks text[] not null,
  state text not null check (state in ('queued', 'stored', 'failed')),
  problem text,
  -- What was stored: the SHA-256 of a symbol file or a native file, and the ids of mappings.
  checksum text,
  mapping_uids uuid[] not null default '{}',
  size bigint,
  key_ref text not null,
  created_at timestamptz not null,
  -- When a client last asked for it, and when its state changed.
  asked_at timestamptz not null,
  done_at timestamptz,
  primary key (game_id, sha1),
  check ((state = 'failed') = (problem is not null))
);
create index sentry_files_by_time on sentry_files (asked_at);
