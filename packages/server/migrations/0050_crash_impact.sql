-- How many devices and sessions a crash group hit, and on which systems. Counts of groups that exist already start with
-- the reports that are processed from now on, or again.

alter table crash_reports
  add column device_uid text,
  add column session_id text,
  -- The version of the rules that its facets were read by; 0 if they were not.
  add column facets_version integer not null default 0;

alter table crash_groups
  -- Of the stored reports that are counted in the group: those of groups merged into it count here, not there.
  add column devices bigint not null default 0,
  add column sessions bigint not null default 0;

-- The values of facets, such as `gpu` and `RTX 3060`. A value that is empty stands for those beyond the limit.
create table crash_facet_values (
  game_id uuid not null references all_games on delete cascade,
  -- A hash of the game, the facet and the value.
  value_id bigint not null,
  facet text not null,
  value text not null,
  seen_on date not null,
  primary key (game_id, value_id)
);

create index crash_facet_values_by_facet on crash_facet_values (game_id, facet, value);

-- Where each report is counted. Not partitioned: devices are counted over all reports.
create table crash_impact (
  game_id uuid not null,
  report_id uuid not null,
  -- The group that it is counted in: its own, or the one that this is merged into.
  place_id uuid not null,
  build_id uuid not null,
  -- Empty if the client sent none.
  device_uid text not null,
  session_id text not null,
  -- False for further reports of a device that has very many in the group: each would be compared with all others.
  is_distinct boolean not null,
  value_ids bigint[] not null,
  primary key (game_id, report_id)
);

create index crash_impact_by_place on crash_impact (game_id, place_id, device_uid, session_id) where is_distinct;
create index crash_impact_by_device on crash_impact (game_id, device_uid) where device_uid <> '';
create index crash_impact_by_build on crash_impact (game_id, build_id, device_uid, session_id);
create index crash_impact_by_value on crash_impact using gin (value_ids) where value_ids <> '{}';

-- The reports of each group with a value, and the devices that sent them.
create table crash_group_values (
  game_id uuid not null,
  group_id uuid not null,
  value_id bigint not null,
  reports bigint not null,
  devices bigint not null,
  primary key (game_id, group_id, value_id),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);

create index crash_group_values_by_value on crash_group_values (game_id, value_id, group_id);

-- The same of each build.
create table crash_group_builds (
  game_id uuid not null,
  group_id uuid not null,
  build_id uuid not null,
  reports bigint not null,
  devices bigint not null,
  sessions bigint not null,
  primary key (game_id, group_id, build_id),
  foreign key (game_id, group_id) references crash_groups on delete cascade
);

create index crash_group_builds_by_build on crash_group_builds (game_id, build_id, devices desc, reports desc);

create or replace function delete_crash_reports_of_game() returns trigger
language plpgsql as $$
begin
  delete from crash_reports where game_id = old.game_id;
  delete from crash_impact where game_id = old.game_id;
  delete from crash_groups where game_id = old.game_id;
  delete from crash_functions where game_id = old.game_id;
  return null;
end
$$;
