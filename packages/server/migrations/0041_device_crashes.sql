-- Which devices crashed, at any time and not only on boot, in a window of days and on each day.

alter table event_devices
  -- The last day with any crash.
  add column any_crash_day date,
  -- That day before the last change.
  add column was_any_crash_day date;

alter table event_device_days
  -- Devices for which the day is the last one with any crash. The devices of any number of days up to now are their sum.
  add column any_crashed integer not null default 0,
  -- Devices that sent an event on the day, and those of them that crashed on it. These don't change after the day.
  add column active integer not null default 0,
  add column active_crashed integer not null default 0;

-- The first day whose crashes are all counted in these columns. Without a row, all days are.
create table device_crashes_counted (
  since date not null
);

insert into device_crashes_counted
  select (now() at time zone 'utc')::date + 1 where exists (select from event_device_days);

-- Of the devices in a batch of events, those whose row changes. It is a function for the sake of its settings: a plan
-- that was made while the table was small would read all of it for each device. The function with fewer parameters is
-- for processes of the version before.
create function changing_devices(
  games uuid[], builds uuid[], places integer[], devices text[], crashes boolean[], boots boolean[],
  any_crashes boolean[], today date
) returns table (game_id uuid, build_id uuid, device_uid text, crashed boolean, booted boolean, any_crashed boolean)
language plpgsql stable rows 100
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
begin
  return query
    select games[given.place], builds[given.place], given.device, given.crashed, given.booted, given.any_crashed
    from unnest(places, devices, crashes, boots, any_crashes) as given (place, device, crashed, booted, any_crashed)
      left join event_devices as known on known.game_id = games[given.place]
        and known.device_uid = given.device collate "C" and known.build_id = builds[given.place]
    where known.last_day is null or known.last_day < today
      or (given.booted and (known.boot_day is null or known.boot_day < today))
      or (given.crashed and known.first_boot_at is null and (known.crash_day is null or known.crash_day < today))
      or (given.any_crashed and (known.any_crash_day is null or known.any_crash_day < today));
end
$$;
