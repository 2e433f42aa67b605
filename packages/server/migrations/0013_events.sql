-- Events of games: each kept as it came for some weeks, partitioned by day, and folded at once into what is asked for: launch health by
-- device, counts by hour, times by build. No foreign keys: what is written thousands of times a second looks nothing up. What a game
-- leaves behind goes with it by a trigger, and what that misses by a sweep.

-- Without any index: each would cost as much as the writing itself, and only one device's rows are ever looked for.
create table events (
  game_id uuid not null,
  build_id uuid not null,
  -- When it was written; those of one batch are a microsecond apart, in the order in which they came.
  received_at timestamptz not null,
  name text collate "C" not null,
  anonymous boolean not null,
  device_uid text collate "C",
  session_id text collate "C",
  event_id text collate "C",
  -- Of boot_ok and first_input.
  ms integer,
  -- Of session_end.
  seconds integer,
  -- What the client's clock said.
  client_time timestamptz,
  properties jsonb
) partition by range (received_at);
create table events_default partition of events default;

-- Events that came with an id of the client's, so that they count once when they are sent again.
create table event_ids (
  game_id uuid not null,
  event_id text collate "C" not null,
  day date not null,
  primary key (game_id, event_id)
);
create index event_ids_by_day on event_ids using brin (day) with (pages_per_range = 32);

-- How far each device has come with each build. The day columns only grow, so what changes nothing now changes nothing later.
create table event_devices (
  game_id uuid not null,
  device_uid text collate "C" not null,
  build_id uuid not null,
  first_seen timestamptz not null,
  -- The last day with any event of it.
  last_day date not null,
  first_boot_at timestamptz,
  -- The last day with a boot_ok.
  boot_day date,
  -- The last day with a crash before the first boot_ok.
  crash_day date,
  -- The days before the last change: the statement that changes a row also takes it off the counts of those days.
  was_last_day date,
  was_boot_day date,
  was_crash_day date,
  primary key (game_id, device_uid, build_id)
) with (fillfactor = 80);

-- How many devices have each day as their last one, so that the distinct devices of any number of days up to now are their sum. A slot is
-- a writer's own: writers do not wait for each other, and a single row may be below zero. Slot 0 is nobody's: a day that is over is summed
-- up there.
create table event_device_days (
  game_id uuid not null,
  day date not null,
  build_id uuid not null,
  slot smallint not null,
  devices integer not null,
  booted integer not null,
  crashed integer not null,
  primary key (game_id, day, build_id, slot)
) with (fillfactor = 70);
create index event_device_days_apart on event_device_days (day) where slot <> 0;

-- Every device that a game ever had, over all builds.
create table game_devices (
  game_id uuid not null,
  device_uid text collate "C" not null,
  first_seen timestamptz not null,
  primary key (game_id, device_uid)
);

create table event_games (
  game_id uuid not null,
  slot smallint not null,
  -- Devices ever.
  devices integer not null,
  first_boot_at timestamptz,
  primary key (game_id, slot)
) with (fillfactor = 70);

create table event_hours (
  game_id uuid not null,
  name text collate "C" not null,
  hour timestamptz not null,
  build_id uuid not null,
  slot smallint not null,
  count bigint not null,
  primary key (game_id, name, hour, build_id, slot)
) with (fillfactor = 70);
create index event_hours_apart on event_hours (hour) where slot <> 0;

-- Custom names that have counts of their own.
create table event_names (
  game_id uuid not null,
  name text collate "C" not null,
  first_seen timestamptz not null,
  primary key (game_id, name)
);

-- A histogram whose buckets grow by a constant factor.
create table event_times (
  game_id uuid not null,
  build_id uuid not null,
  day date not null,
  what text collate "C" not null check (what in ('boot_ms', 'session_seconds')),
  bucket smallint not null,
  slot smallint not null,
  count bigint not null,
  primary key (game_id, build_id, day, what, bucket, slot)
) with (fillfactor = 70);
create index event_times_apart on event_times (day) where slot <> 0;

-- Games that are gone and whose events the sweep has yet to remove.
create table event_games_gone (
  game_id uuid primary key,
  gone_at timestamptz not null default now()
);

create function forget_events_of_game(gone uuid) returns void
language plpgsql as $$
begin
  delete from event_ids where game_id = gone;
  delete from event_devices where game_id = gone;
  delete from event_device_days where game_id = gone;
  delete from game_devices where game_id = gone;
  delete from event_games where game_id = gone;
  delete from event_hours where game_id = gone;
  delete from event_names where game_id = gone;
  delete from event_times where game_id = gone;
end
$$;

create function delete_events_of_game() returns trigger
language plpgsql as $$
begin
  perform forget_events_of_game(old.game_id);
  insert into event_games_gone (game_id) values (old.game_id) on conflict do nothing;
  return null;
end
$$;

create trigger events_go_with_game after delete on games
for each row execute function delete_events_of_game();

-- Of devices as a batch of events knows them, those whose row it changes. A function for its settings: a plan made while the table is small
-- would read all of it for each device, and be kept while it grows.
create function changing_devices(
  games uuid[], builds uuid[], places integer[], devices text[], crashes boolean[], boots boolean[], today date
) returns table (game_id uuid, build_id uuid, device_uid text, crashed boolean, booted boolean)
language plpgsql stable rows 100
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
as $$
begin
  return query
    select games[given.place], builds[given.place], given.device, given.crashed, given.booted
    from unnest(places, devices, crashes, boots) as given (place, device, crashed, booted)
      left join event_devices as known
        on known.game_id = games[given.place] and known.device_uid = given.device collate "C" and known.build_id = builds[given.place]
    where known.last_day is null or known.last_day < today
      or (given.booted and (known.boot_day is null or known.boot_day < today))
      or (given.crashed and known.first_boot_at is null and (known.crash_day is null or known.crash_day < today));
end
$$;
