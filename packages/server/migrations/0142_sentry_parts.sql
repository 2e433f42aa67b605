-- What Sentry's SDKs send about a crash before the crash itself, such as an attachment, until its event arrives.
create table sentry_parts (
  game_id uuid not null references all_games on delete cascade,
  event_id text not null,
  -- The files are kept under this id, as those of a report are.
  part_id uuid not null,
  received_at timestamptz not null,
  -- As in crash_reports.
  attachments jsonb not null,
  primary key (game_id, event_id, part_id)
);
create index sentry_parts_by_id on sentry_parts (part_id);
