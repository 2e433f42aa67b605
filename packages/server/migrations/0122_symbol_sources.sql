-- Symbols that are not uploaded, such as those of the players' systems: what the symbol servers in the settings have. They
-- belong to no game.
create table system_symbols (
  symbol_id uuid primary key,
  -- The address of the symbol server, without credentials.
  source text not null,
  debug_file text not null,
  debug_id text not null,
  code_id text not null,
  checksum text not null unique,
  size bigint not null,
  stored_size bigint not null,
  blob_key text not null unique,
  functions integer not null,
  detail smallint not null,
  records integer not null,
  problem text,
  -- Null until the text is compiled.
  cache_key text unique,
  cache_size bigint,
  cache_version integer,
  fetched_at timestamptz not null,
  used_at timestamptz not null,
  check (num_nulls(cache_key, cache_size, cache_version) in (0, 3))
);

create index system_symbols_by_debug_id on system_symbols (debug_id);
create index system_symbols_by_code_id on system_symbols (code_id) where code_id <> '';

-- A module of a dump that is looked up at the symbol servers, once for all games.
create table symbol_lookups (
  lookup_id uuid primary key,
  debug_file text not null,
  debug_id text not null,
  code_file text not null,
  code_id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'found', 'absent')),
  -- What went wrong at a symbol server, for people.
  problem text,
  -- The sources that don't have it.
  asked text[] not null default '{}',
  -- Failed attempts since `waiting_since`.
  tries integer not null default 0,
  -- Times in a row that no source had it.
  absences integer not null default 0,
  waiting_since timestamptz not null,
  -- When it is tried next; of an absence, when it may be looked up again.
  due_at timestamptz not null,
  -- Until when a worker has it.
  claimed_until timestamptz,
  symbol_id uuid references system_symbols (symbol_id) on delete set null
);

create unique index symbol_lookups_by_module on symbol_lookups (lower(debug_file), debug_id, lower(code_file), code_id);
create index symbol_lookups_due on symbol_lookups (due_at) where state = 'waiting';
create index symbol_lookups_by_symbol on symbol_lookups (symbol_id) where symbol_id is not null;

-- The games whose reports wait for a look-up.
create table symbol_lookup_games (
  lookup_id uuid not null references symbol_lookups (lookup_id) on delete cascade,
  game_id uuid not null references all_games (game_id) on delete cascade,
  primary key (lookup_id, game_id)
);

create index symbol_lookup_games_by_game on symbol_lookup_games (game_id);

-- Symbol servers that fail, so that they are left alone for a while.
create table symbol_sources (
  source text primary key,
  failures integer not null,
  problem text not null,
  paused_until timestamptz
);
