-- Limits of single games that operators set instead of the settings, and who changed them.

-- In MiB. Null stands for the setting, and 0 for no limit, as in the settings.
create table game_quotas (
  game_id uuid primary key references all_games on delete cascade,
  storage_mb bigint check (storage_mb >= 0),
  crash_mb bigint check (crash_mb >= 0)
);

create table game_quota_changes (
  game_id uuid not null references all_games on delete cascade,
  change_id uuid not null,
  changed_at timestamptz not null,
  -- The name of the operator at that time; null for the command.
  changed_by text,
  -- The limits after the change.
  storage_mb bigint,
  crash_mb bigint,
  primary key (game_id, change_id)
);
