-- What became of what Sentry's SDKs send, apart from reports: by UTC day and DSN.
create table sentry_counts (
  game_id uuid not null references all_games on delete cascade,
  day date not null,
  dsn_id uuid not null,
  -- "dropped": of a type of item, and why. "discarded": by the client itself, by category, and why. "message": one that
  -- was only counted. "repeated": a report that was there already.
  what text not null check (what in ('dropped', 'discarded', 'message', 'repeated')),
  type text not null,
  reason text not null,
  count bigint not null,
  primary key (game_id, day, dsn_id, what, type, reason)
);
create index sentry_counts_day on sentry_counts (day);

-- Requests with the number of a game, but a key that isn't its own or was revoked.
create table sentry_wrong_keys (
  day date not null,
  game_id uuid not null references all_games on delete cascade,
  -- The first digits; empty for all further keys of a day with too many.
  key_start text not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (game_id, day, key_start)
);
create index sentry_wrong_keys_day on sentry_wrong_keys (day);
