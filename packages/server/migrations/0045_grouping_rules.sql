-- The rules that developers add to the grouping of their games.

create table grouping_rules (
  game_id uuid primary key references all_games on delete cascade,
  -- [{ frames, effect }]
  rules jsonb not null,
  -- Goes up with every change.
  version integer not null,
  changed_at timestamptz not null,
  -- The name of the person, at that time.
  changed_by text not null
);

-- The version of the game's rules that grouped the report.
alter table crash_reports add column rules_version integer not null default 0;
