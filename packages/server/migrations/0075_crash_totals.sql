-- The devices, sessions and values of facets of a game and of each of its builds, over all groups; and indexes that find
-- reports by values day by day. Reports that exist already are counted when they are processed again.

create table crash_totals (
  game_id uuid not null,
  -- The game or one of its builds.
  scope_id uuid not null,
  -- A device is counted in a slot that its id decides. Who counts reports of it holds the lock on this row of the game.
  slot smallint not null,
  reports bigint not null,
  devices bigint not null,
  sessions bigint not null,
  primary key (game_id, scope_id, slot)
);

create table crash_total_values (
  game_id uuid not null,
  scope_id uuid not null,
  value_id bigint not null,
  slot smallint not null,
  reports bigint not null,
  devices bigint not null,
  primary key (game_id, scope_id, value_id, slot)
);

-- How the report is counted in them: 0 if it isn't, 1 without its device and session, 2 with them.
alter table crash_impact add column totalled smallint not null default 0;

-- The values, and each value on the day of the report: the number of the day is in the bits above those of the value.
-- Not parallel safe, because searches read too little for parallel workers.
create function crash_value_keys(value_ids bigint[], report_id uuid) returns bigint[]
language sql immutable strict cost 100
return value_ids || array(
  select value_id | ((('x' || left(replace(report_id::text, '-', ''), 12))::bit(48)::bigint / 86400000 % 1000 + 1) << 53)
  from unnest(value_ids) as value_id);

drop index crash_impact_by_value;
create index crash_impact_by_value on crash_impact using gin (crash_value_keys(value_ids, report_id))
  with (gin_pending_list_limit = 256) where value_ids <> '{}';

drop index crash_impact_by_device;
create index crash_impact_by_device on crash_impact (game_id, device_uid, session_id)
  where device_uid <> '' or session_id <> '';

drop index crash_impact_by_build;

create or replace function delete_crash_reports_of_game() returns trigger
language plpgsql as $$
begin
  delete from crash_reports where game_id = old.game_id;
  delete from crash_report_names where game_id = old.game_id;
  delete from crash_impact where game_id = old.game_id;
  delete from crash_totals where game_id = old.game_id;
  delete from crash_total_values where game_id = old.game_id;
  delete from crash_facet_values where game_id = old.game_id;
  delete from crash_groups where game_id = old.game_id;
  delete from crash_functions where game_id = old.game_id;
  return null;
end
$$;
