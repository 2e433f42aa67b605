-- Where the issues about a game's crashes are.

create table issue_trackers (
  game_id uuid primary key references all_games on delete cascade,
  kind text not null check (kind in ('github', 'gitlab', 'other')),
  -- Of GitHub or GitLab, without a trailing slash.
  base_url text,
  project text,
  -- Of another tracker.
  url_template text,
  -- Encrypted with a key that is derived from the service's secret.
  token bytea,
  check (case when kind = 'other' then url_template is not null and token is null
    else base_url is not null and project is not null end)
);
