-- Programs and debug files that were uploaded as symbols, until a job has converted them.
create table native_symbols (
  game_id uuid not null references all_games on delete cascade,
  native_uid uuid not null,
  build_id uuid not null,
  key_ref text not null,
  -- The name in the upload.
  file_name text not null,
  size bigint not null,
  checksum text not null,
  -- Null once the file turned out to be unreadable, and was deleted.
  blob_key text,
  problem text,
  uploaded_at timestamptz not null default clock_timestamp(),
  primary key (game_id, native_uid),
  foreign key (game_id, build_id) references builds on delete cascade,
  check ((blob_key is null) = (problem is not null))
);

create unique index native_symbols_by_build on native_symbols (game_id, build_id, checksum);
create unique index native_symbols_by_blob on native_symbols (blob_key) where blob_key is not null;

-- The checksum of the native file that the symbols were made of; null for a symbol file.
alter table symbols add column native_checksum text;

create index symbols_by_native on symbols (game_id, native_checksum) where native_checksum is not null;

-- The number of ranges with unwind rules; null for a text of an earlier release until it is read again.
alter table symbol_texts add column unwind integer;

create index symbol_texts_without_unwind on symbol_texts (created_at) where unwind is null;
