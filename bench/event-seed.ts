// Fills a game with events and devices by SQL, and measures how fast PostgreSQL alone inserts rows of events, as a
// yardstick.
import type pg from 'pg';
import type { GameIds } from './requests.ts';

const ROWS = 1000;
const DAYS = 30;

/** Devices of the last 30 days, spread evenly over the days. Most of them booted, and some crashed before that. */
const DEVICES = `
insert into event_devices (game_id, device_uid, build_id, first_seen, last_day, first_boot_at, boot_day, crash_day)
select $1, 'seeded-' || no, $2, now() - interval '30 days', day, case when boots then now() - interval '30 days' end,
  case when boots then day end, case when no % 50 = 0 then day end
from generate_series(1, $3::integer) no
cross join lateral (select (now() at time zone 'utc')::date - no % ${DAYS} as day, no % 40 > 0 as boots) drawn`;

const SUMS = `
insert into game_devices (game_id, device_uid, first_seen) select game_id, device_uid, first_seen from event_devices
  where game_id = $1 and device_uid like 'seeded-%';
insert into event_games (game_id, slot, devices, first_boot_at) select $1, 99, count(*), min(first_boot_at) from event_devices
  where game_id = $1 and device_uid like 'seeded-%';
insert into event_device_days (game_id, day, build_id, slot, devices, booted, crashed)
  select $1, last_day, build_id, 99, count(*), count(boot_day), count(crash_day) from event_devices
  where game_id = $1 and device_uid like 'seeded-%' group by last_day, build_id;
insert into event_times (game_id, build_id, day, what, bucket, slot, count)
  select $1, build_id, last_day, what, bucket, 99, count(*) from event_devices
  cross join (values ('boot_ms', 180), ('session_seconds', 120)) as times (what, middle)
  cross join lateral (select middle + ascii(substr(md5(device_uid), 1, 1)) % 60 as bucket) drawn
  where game_id = $1 and device_uid like 'seeded-%' group by 2, 3, 4, 5;
insert into event_hours (game_id, name, hour, build_id, slot, count)
  select $1, name, date_trunc('hour', now()) - make_interval(hours => back), $2, 99, 1000
  from generate_series(0, ${DAYS * 24 - 1}) back, unnest(array['session_start', 'boot_ok', 'shot', 'jump', 'coin', 'session_end']) name`;

const EVENTS = `
insert into events (game_id, build_id, received_at, name, anonymous, device_uid, properties)
select $1, $2, now() - make_interval(secs => no % 1000), 'shot', false, 'seeded-' || no % 1000000, null
from generate_series($3::integer, $4::integer) no`;

/** Adds events and devices to the game. All individual events are from today. */
export async function seedEvents(
  pool: pg.Pool,
  { game, build }: GameIds,
  { events, devices }: { events: number; devices: number },
): Promise<void> {
  await pool.query(DEVICES, [game, build, devices]);
  for (const statement of SUMS.split(';'))
    await pool.query(statement.replaceAll('$1', `'${game}'::uuid`).replaceAll('$2', `'${build}'::uuid`));
  const step = events / 10;
  for (let from = 0; from < events; from += step) await pool.query(EVENTS, [game, build, from + 1, from + step]);
  await pool.query('vacuum analyze');
}

const BARE = 'bare_events';
const INSERT = `
insert into ${BARE} (game_id, build_id, received_at, name, anonymous, device_uid, properties)
select $1::uuid, $2::uuid, now(), name, false, device, properties
from unnest($3::text[], $4::text[], $5::jsonb[]) as batch (name, device, properties)`;

/**
 * Returns the rows per second that one connection inserts: a thousand per transaction, without counting and without
 * indexes.
 */
export async function insertRate(pool: pg.Pool, seconds: number): Promise<number> {
  const id = '00000000-0000-7000-8000-000000000000';
  const names = Array.from({ length: ROWS }, (_, no) => ['shot', 'jump', 'coin', 'level_end'][no % 4]);
  const devices = names.map((_, no) => `device-${String(no).padStart(12, '0')}`);
  const properties = names.map((name, no) =>
    name === 'level_end' ? `{"level":${no},"won":true,"score":95000}` : null,
  );
  await pool.query(`create table if not exists ${BARE} (like events)`);
  await pool.query(`truncate ${BARE}`);
  const begun = performance.now();
  let rows = 0;
  for (; performance.now() - begun < seconds * 1000; rows += ROWS)
    await pool.query({ name: 'bare insert', text: INSERT, values: [id, id, names, devices, properties] });
  return (rows * 1000) / (performance.now() - begun);
}
