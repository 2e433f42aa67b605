-- What raises alerts about crashes.

-- What the members have yet to be notified of: the group is new, or back after its fix.
alter table crash_groups add column alert text;

create index crash_groups_with_alert on crash_groups (game_id, group_id) where alert is not null;

-- How many reports groups got in the hours of the last week, as a job saw it once a minute. Hours without reports have
-- no row.
create table crash_rates (
  game_id uuid not null references all_games on delete cascade,
  group_id uuid not null,
  hour timestamptz not null,
  -- The group's reports before that hour, and in it.
  before bigint not null,
  count bigint not null,
  primary key (game_id, group_id, hour)
);

create index crash_rates_by_hour on crash_rates (hour);

-- The builds whose first crash was reported, and those that are older than alerts.
create table crash_builds (
  game_id uuid not null,
  build_id uuid not null,
  primary key (game_id, build_id),
  foreign key (game_id, build_id) references builds on delete cascade
);

insert into crash_builds (game_id, build_id) select game_id, build_id from builds;
