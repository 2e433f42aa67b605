-- Breakpad symbols: texts, shared by their content, and of which module of which build they are.

create table symbol_texts (
  game_id uuid not null references games on delete cascade,
  -- SHA-256 of the text, lower-case hex.
  checksum text not null,
  -- Bytes of the text.
  size bigint not null,
  -- The text, gzipped.
  blob_key text not null,
  state text not null default 'stored' check (state in ('stored', 'compiled', 'unreadable')),
  -- Why the compiler cannot read it, or what it left out.
  problem text,
  -- The compiled cache and the version of its format; null before, and for a text that cannot be read.
  cache_key text,
  cache_size bigint,
  cache_version int,
  created_at timestamptz not null default now(),
  primary key (game_id, checksum),
  check ((state = 'compiled') = (cache_key is not null)),
  check (num_nulls(cache_key, cache_size, cache_version) in (0, 3))
);
-- For the sweeper, which asks by key whether a blob is anybody's.
create unique index symbol_texts_by_blob on symbol_texts (blob_key);
create unique index symbol_texts_by_cache on symbol_texts (cache_key) where cache_key is not null;

create table symbols (
  game_id uuid not null,
  symbol_uid uuid not null,
  build_id uuid not null,
  debug_file text not null,
  -- 32 upper-case hex digits and the age in lower-case hex, as other stackwalkers ask for it.
  debug_id text not null,
  os text not null,
  cpu text not null,
  checksum text not null,
  -- First 8 characters of the access token that sent it.
  key_ref text not null,
  uploaded_at timestamptz not null default clock_timestamp(),
  primary key (game_id, symbol_uid),
  foreign key (game_id, build_id) references builds on delete cascade,
  foreign key (game_id, checksum) references symbol_texts
);
-- Windows does not tell Game.pdb from game.pdb, and a dump may name the other one.
create unique index symbols_by_build on symbols (game_id, build_id, lower(debug_file), debug_id);
create index symbols_by_module on symbols (game_id, debug_id, lower(debug_file), uploaded_at desc);
-- Why a module has no symbols: what else there is of its name.
create index symbols_by_file on symbols (game_id, lower(debug_file), uploaded_at desc);
create index symbols_by_text on symbols (game_id, checksum);

-- The token in the address from which other stackwalkers read a game's symbols; only its SHA-256.
create table symbol_tokens (
  game_id uuid primary key references games on delete cascade,
  token_hash bytea not null unique,
  prefix text not null,
  created_at timestamptz not null default now()
);
