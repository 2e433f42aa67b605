-- What a read replica must have before it is read instead of the primary (docs/adr/0021-read-replicas.md): a recent beat
-- of the process that reads, and the writes of the account and the game.
create table replica_beats (
  process_no integer primary key references processes on delete cascade,
  beat bigint not null
);
create table account_writes (
  user_id text primary key references users on delete cascade,
  writes bigint not null
);
-- Writes with a deploy key.
create table game_writes (
  game_id uuid primary key references all_games on delete cascade,
  writes bigint not null
);
