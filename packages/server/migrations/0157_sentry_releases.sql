-- Releases that sentry-cli creates. A registered build is a release without a row here.
create table sentry_releases (
  game_id uuid not null references all_games on delete cascade,
  version text not null,
  created_at timestamptz not null,
  released_at timestamptz,
  url text,
  -- The ids of commits, the newest first.
  commits text[] not null default '{}',
  -- The last deploys, as sentry-cli describes them.
  deploys jsonb not null default '[]',
  primary key (game_id, version)
);
create index sentry_releases_by_time on sentry_releases (game_id, created_at desc);
