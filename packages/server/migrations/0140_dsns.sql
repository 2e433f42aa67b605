-- DSNs of games, to which Sentry's SDKs send: a number for each game that has any, and named keys.

create table dsn_projects (
  game_id uuid primary key references all_games on delete cascade,
  -- Clients accept only digits. A number is never used for a second game.
  project_no integer generated always as identity unique
);

create table dsns (
  game_id uuid not null references dsn_projects on delete cascade,
  dsn_id uuid not null,
  name text not null,
  -- The key is part of every copy of the game, so it isn't secret: it is kept to be shown again.
  key text not null,
  key_hash bytea not null unique,
  created_by text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (game_id, dsn_id)
);
