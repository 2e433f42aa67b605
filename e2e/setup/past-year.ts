// Gives a game a past: releases over a year, of which one crashed for many players and was fixed two days later, and a
// month in which few people played. The API registers everything with the current time, so this writes the rows that it
// would have written back then.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { GROUPING_VERSION } from '../../packages/server/src/crash/crashes/groups/grouping.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { createLog } from '../../packages/server/src/kernel/telemetry/log.ts';
import type { Service } from './processes.ts';

/** `crashes` is the share of devices that crash before they boot; on Windows three times of it. */
type Release = { version: string; title: string; daysAgo: number; crashes: number };

const RELEASES: readonly Release[] = [
  { version: '0.1.0', title: 'First letters', daysAgo: 358, crashes: 0.03 },
  { version: '0.2.0', title: 'Wind', daysAgo: 322, crashes: 0.02 },
  { version: '0.3.0', title: 'A forest at night', daysAgo: 281, crashes: 0.015 },
  { version: '0.4.0', title: 'Saving a flight', daysAgo: 236, crashes: 0.05 },
  { version: '0.4.1', title: 'Saves are whole again', daysAgo: 231, crashes: 0.012 },
  { version: '0.5.0', title: 'Snow', daysAgo: 178, crashes: 0.01 },
  { version: '0.6.0', title: 'Storms, and somewhere to hide', daysAgo: 112, crashes: 0.009 },
  { version: '0.7.0', title: 'Forty letters', daysAgo: 74, crashes: 0.008 },
  { version: '0.8.0', title: 'The first hour', daysAgo: 43, crashes: 0.007 },
  { version: '0.9.0', title: 'Almost there', daysAgo: 24, crashes: 0.006 },
  { version: '1.0.0', title: 'First flight', daysAgo: 13, crashes: 0.06 },
  { version: '1.0.1', title: 'Starts on older graphics cards', daysAgo: 11, crashes: 0.005 },
  { version: '1.1.0', title: 'Second forest', daysAgo: 4, crashes: 0.004 },
];

/** The versions that the API registered, whose rows only become older. */
const REGISTERED = ['1.0.0', '1.1.0'];

type Group = {
  title: string;
  kind: 'stack' | 'message';
  reason: string | null;
  status: 'open' | 'resolved' | 'ignored';
  fixedIn: string | null;
  /** The days ago of its first and last report, and how many devices it hits in a day. */
  first: number;
  last: number;
  devices: number;
};

const GROUPS: readonly Group[] = [
  {
    title: 'gfx::Pipeline::compile_shader(gfx::ShaderSource const&, gfx::Target)',
    ...{ kind: 'stack', reason: 'EXCEPTION_ACCESS_VIOLATION_READ', status: 'resolved', fixedIn: '1.0.1' },
    ...{ first: 13, last: 10, devices: 38 },
  },
  {
    title: 'save::Archive::write(std::span<std::byte const>, save::Slot, std::chrono::milliseconds)',
    ...{ kind: 'stack', reason: 'EXCEPTION_ACCESS_VIOLATION_WRITE', status: 'resolved', fixedIn: '0.4.1' },
    ...{ first: 236, last: 229, devices: 9 },
  },
  {
    title: 'audio::Mixer::mix(audio::Frame*, unsigned int)',
    ...{ kind: 'stack', reason: 'SIGSEGV / SEGV_MAPERR', status: 'open', fixedIn: null },
    ...{ first: 196, last: 0, devices: 4 },
  },
  {
    title: 'world::Weather::blend<world::Storm, world::Fog>(float) | world::Forest::update(float)',
    ...{ kind: 'stack', reason: 'SIGFPE / FPE_INTDIV', status: 'open', fixedIn: null },
    ...{ first: 5, last: 0, devices: 3 },
  },
  {
    title: 'The graphics device was lost while presenting a frame',
    ...{ kind: 'message', reason: null, status: 'open', fixedIn: null },
    ...{ first: 110, last: 1, devices: 2 },
  },
  {
    title: 'input::Gamepad::poll()',
    ...{ kind: 'stack', reason: 'SIGABRT / SI_TKILL', status: 'ignored', fixedIn: null },
    ...{ first: 300, last: 60, devices: 1 },
  },
];

const BUGS = [
  { message: 'The last letter is never delivered if I land on the roof.', daysAgo: 214, status: 'fixed' },
  { message: 'Snow falls upwards after a pause.', daysAgo: 171, status: 'fixed' },
  { message: 'The menu forgets the language.', daysAgo: 96, status: 'closed' },
  { message: 'My owl is invisible in the mirror of the lake.', daysAgo: 40, status: 'open' },
  { message: 'Since 1.0.0 it closes right after the logo.', daysAgo: 12, status: 'fixed' },
  { message: 'With two gamepads, both fly the same owl.', daysAgo: 2, status: 'open' },
] as const;

type Game = {
  readonly gameUid: string /** A build with a file that the older builds share. */;
  readonly buildId: string;
};

/** Takes less than a second. */
export async function addPastYear(service: Service, { gameUid, buildId }: Game): Promise<void> {
  const url = service.environment.DATABASE_URL;
  const embedded = url === undefined ? await startEmbeddedPostgres(service.dataFolder, createLog('error')) : undefined;
  const client = new pg.Client(url ?? embedded?.url);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(HELPERS);
    await client.query(RELEASE_ROWS, [JSON.stringify(RELEASES), REGISTERED, gameUid]);
    for (const statement of [BUILDS, FILES, SCANS, ENTRIES]) await client.query(statement, [gameUid, buildId]);
    for (const statement of [AGE, MOVES, LAST_MOVE, ...DAYS]) await client.query(statement, [gameUid]);
    const keys = GROUPS.map(({ title }) => createHash('sha256').update(title).digest('hex'));
    const groups = GROUPS.map((group, index) => ({ ...group, key: keys[index] }));
    await client.query(GROUP_ROWS, [JSON.stringify(groups), gameUid, GROUPING_VERSION]);
    await client.query(CRASH_ROWS);
    for (const statement of CRASHES) await client.query(statement, [gameUid]);
    await client.query(BUG_ROWS, [JSON.stringify(BUGS), gameUid]);
    await client.query('commit');
  } finally {
    await client.end();
    await embedded?.stop();
  }
}

/** Ids that begin with their time, as those of the server do. */
const HELPERS = `create function pg_temp.id_at(at timestamptz, seed text) returns uuid language sql as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(seed), 1, 3)
      || '8' || substr(md5(seed), 4, 15))::uuid $$;
  -- Repeats its value for the same seed, between 0 and 1.
  create function pg_temp.vary(seed text) returns float language sql as $$
    select (('x' || substr(md5(seed), 1, 6))::bit(24)::int) / 16777216.0 $$;
  create temp table past_days on commit drop as
    select ago, (now() at time zone 'utc')::date - ago as day,
      (60 + 0.55 * (365 - ago)) * (1 + 0.22 * sin(ago * 2 * pi() / 7)) * (0.9 + 0.2 * pg_temp.vary(ago::text))
        * case when ago between 119 and 150 then 0.3 else 1 end as players
    from generate_series(1, 358) as ago`;

const RELEASE_ROWS = `create temp table releases on commit drop as
  select version, title, "daysAgo" as ago, crashes, version = any($2::text[]) as is_registered, os,
    now() - "daysAgo" * interval '1 day' - interval '3 hours' as at,
    pg_temp.id_at(now() - "daysAgo" * interval '1 day', $3 || version || os) as build_id
  from json_to_recordset($1) as given (version text, title text, "daysAgo" int, crashes float)
    cross join unnest(array['windows', 'linux']) as os`;

const BUILDS = `insert into builds (game_id, build_id, version, build_type, os, arch, channel, title, description,
    engine_version, changelog, created_at, updated_at)
  select game_id, releases.build_id, releases.version, build_type, releases.os, arch, channel, releases.title, '',
    engine_version, jsonb_build_array(jsonb_build_object('title', releases.title, 'description', '')), at, at
  from releases cross join builds where game_id = $1::uuid and builds.build_id = $2::uuid and not is_registered`;

const FILES = `insert into files (game_id, file_id, build_id, filename, size, checksum, blob_key, origin, scan_state,
    uploaded_at)
  select game_id, pg_temp.id_at(at, 'file' || releases.build_id::text), releases.build_id, filename, size, checksum,
    blob_key, origin, scan_state, at
  from releases cross join files where game_id = $1::uuid and files.build_id = $2::uuid and not is_registered`;

const SCANS = `insert into file_scans (game_id, file_id, at, state, engine, signature_version, detail)
  select game_id, pg_temp.id_at(releases.at, 'file' || releases.build_id::text), releases.at, state, engine,
    signature_version, detail
  from releases cross join file_scans join files using (game_id, file_id)
  where game_id = $1::uuid and files.build_id = $2::uuid and not is_registered`;

const ENTRIES = `insert into file_entries (game_id, file_id, entries)
  select game_id, pg_temp.id_at(at, 'file' || releases.build_id::text), entries
  from releases cross join file_entries join files using (game_id, file_id)
  where game_id = $1::uuid and files.build_id = $2::uuid and not is_registered`;

const AGE = `with older as (
    select builds.build_id, releases.at from builds join releases using (version) where game_id = $1::uuid and is_registered
      and releases.os = 'linux'
  ), aged_files as (
    update files set uploaded_at = older.at from older where files.game_id = $1::uuid and files.build_id = older.build_id
  ), aged_moves as (
    update channel_moves set moved_at = older.at from older
    where channel_moves.game_id = $1::uuid and channel_moves.build_id = older.build_id
  ), aged_game as (
    update all_games set created_at = now() - interval '365 days', published_at = now() - interval '300 days'
    where game_id = $1::uuid
  )
  update builds set created_at = older.at, updated_at = older.at from older
  where builds.game_id = $1::uuid and builds.build_id = older.build_id`;

/** Each version went to stable as it was uploaded, and 1.0.0 was rolled back half a day later. */
const MOVES = `with moved as (
    select version, os, build_id, at, 'advance' as action, 'upload' as moved_by from releases where not is_registered
    union all
    select version, os, build_id, now() - interval '12 days 11 hours', 'rollback', 'owner'
    from releases where version = '0.9.0'
  )
  insert into channel_moves (game_id, move_id, change_uid, channel, os, arch, action, build_id, previous_build_id,
    moved_by, moved_at)
  select $1::uuid, pg_temp.id_at(at, 'move' || build_id::text), pg_temp.id_at(at, 'change' || version || action),
    'stable', os, 'x86_64', action, build_id, lag(build_id) over (partition by os order by at), moved_by, at
  from moved`;

/** A rollback from 1.1.0 restores 1.0.1, which the API did not know when it registered 1.1.0. */
const LAST_MOVE = `update channel_moves moves set back_to = before.move_id, previous_move_id = before.move_id,
    previous_build_id = before.build_id
  from channel_moves before join releases on releases.build_id = before.build_id, builds
  where moves.game_id = $1::uuid and before.game_id = moves.game_id and before.os = moves.os
    and releases.version = '1.0.1' and builds.game_id = moves.game_id and builds.build_id = moves.build_id
    and builds.version = '1.1.0'`;

/**
 * Of the players of a day, more and more have the newest version, and the others the one before. Those who played it
 * last on this day count as its devices.
 */
const DAYS = [
  `create temp table played on commit drop as
    with ranked as (
      select day, past_days.ago, players, version, os, releases.build_id, crashes, releases.ago - past_days.ago as age,
        rank() over (partition by day, os order by releases.ago) as place
      from past_days join releases on releases.ago >= past_days.ago
    ), newest as (
      select *, least(0.92, 0.3 + 0.13 * min(age) over (partition by day, os)) as share from ranked where place <= 2
    )
    select day, ago, version, os, age, crashes * case os when 'windows' then 3 else 1 end as crashes,
      coalesce((select build_id from builds where game_id = $1::uuid and builds.version = newest.version
        and builds.os = newest.os), build_id) as build_id,
      ceil(players * case place when 1 then share else 1 - share end * case os when 'windows' then 0.68 else 0.32 end)::int
        as active
    from newest`,
  `insert into event_device_days (game_id, day, build_id, slot, devices, booted, crashed, any_crashed, active, active_crashed)
    select $1::uuid, day, build_id, 0, last, last - failed, failed, least(last, ceil(failed * 1.4)::int), active,
      round(active * crashes * 1.4)::int
    from played cross join lateral (select ceil(active * 0.4)::int as last) as seen
      cross join lateral (select round(last * crashes * (0.5 + pg_temp.vary(version || os || ago)))::int as failed) as boots`,
  `insert into event_names (game_id, name, first_seen)
    select $1::uuid, name, now() - interval '358 days'
    from unnest(array['level_done']) as name
    on conflict (game_id, name) do nothing`,
  `insert into event_hours (game_id, name, hour, build_id, slot, count)
    select $1::uuid, name, (day::timestamp at time zone 'utc') + hour * interval '1 hour', build_id, 0, count
    from played cross join unnest(
        array['session_start', 'boot_ok', 'first_input', 'crash', 'session_end', 'level_done'],
        array[1.6, 1.6, 1.5, 0, 1.45, 3.1]) as events (name, times)
      cross join lateral (
        select 18 as hour, 1.0 as part where ago > 31
        union all
        select hour, (1 + sin((hour - 12) * pi() / 12)) / 24 from generate_series(0, 23) as hour where ago <= 31
      ) as hours
      cross join lateral (select round(active * part * case name when 'crash' then crashes * 1.5 else times end
        * (0.8 + 0.4 * pg_temp.vary(name || ago || hour)))::int as count) as counted
    where count > 0`,
  `insert into event_times (game_id, build_id, day, what, bucket, slot, count)
    select $1::uuid, build_id, day, what, ceil(ln(median) * 24.996)::int + step, 0, ceil(active / (1.0 + abs(step)))::int
    from played cross join (values ('boot_ms', 1300.0), ('session_seconds', 1500.0)) as times (what, usual)
      cross join lateral (select usual * (0.85 + 0.3 * pg_temp.vary(what || version || ago))) as of_day (median)
      cross join generate_series(-4, 4, 2) as step
    where ago <= 31`,
  `insert into download_days (game_id, build_id, day, count)
    select $1::uuid, build_id, day, ceil(active * 0.12 + 70 * exp(-age / 3.0))::int from played
    on conflict (game_id, build_id, day) do update set count = download_days.count + excluded.count`,
  `insert into view_days (game_id, day, os, referrer, count)
    select $1::uuid, day, os, referrer, ceil(sum(active) * times * (0.6 + 0.8 * pg_temp.vary(referrer || ago)))::int
    from played cross join (values ('', 0.9), ('news.example.com', 0.3), ('chat.example.com', 0.12)) as sources (referrer, times)
    group by day, ago, os, referrer, times
    on conflict (game_id, day, os, referrer) do nothing`,
  `insert into download_referrer_days (game_id, day, referrer, count)
    select $1::uuid, day, referrer, ceil(sum(active) * times)::int
    from played cross join (values ('news.example.com', 0.05), ('chat.example.com', 0.03)) as sources (referrer, times)
    group by day, referrer, times
    on conflict (game_id, day, referrer) do nothing`,
];

const GROUP_ROWS = `create temp table past_groups on commit drop as
  select given.*, pg_temp.id_at(now() - first * interval '1 day', $2 || title) as group_id, $3::int as grouping_version
  from json_to_recordset($1) as given (title text, kind text, reason text, status text, "fixedIn" text, first int,
    last int, devices int, key text)`;

const CRASH_ROWS = `create temp table past_crashes on commit drop as
  select group_id, status, played.day, played.ago, played.build_id, played.os,
    ceil(devices * share * (0.4 + 1.2 * pg_temp.vary(title || played.ago || played.os)))::int as devices
  from past_groups join played on played.ago between last and first
    cross join lateral (select case played.os when 'windows' then 0.7 else 0.3 end
      * active / (sum(active) over (partition by group_id, played.day))::float as share) as parts`;

const CRASHES = [
  `insert into crash_groups (game_id, group_id, key, kind, title, reason, explanation, count, first_seen, last_seen,
      status, fixed_in_version, resolved_at, resolved_by, grouping_version, devices, sessions, is_triaged)
    select $1::uuid, group_id, decode(key, 'hex'), kind, title, reason, '[]', reports,
      now() - first * interval '1 day', now() - last * interval '1 day' - interval '5 hours', status, "fixedIn",
      case status when 'resolved' then now() - last * interval '1 day' end,
      case status when 'resolved' then 'owner' end, grouping_version, ceil(reports * 0.7)::int, reports, status <> 'open'
    from past_groups join (select group_id, sum(devices) as reports from past_crashes group by group_id) as counted
      using (group_id)`,
  `insert into crash_group_days (game_id, group_id, day, count)
    select $1::uuid, group_id, day, sum(devices) from past_crashes group by group_id, day`,
  `insert into crash_group_totals (game_id, group_id, build_id, os, count)
    select $1::uuid, group_id, build_id, os, sum(devices) from past_crashes group by group_id, build_id, os`,
  `insert into crash_group_builds (game_id, group_id, build_id, reports, devices, sessions)
    select $1::uuid, group_id, build_id, sum(devices), ceil(sum(devices) * 0.7), sum(devices)
    from past_crashes group by group_id, build_id`,
  // The crashes that hit the most devices now are counted from what is known of each report.
  `insert into crash_impact (game_id, report_id, place_id, build_id, device_uid, session_id, is_distinct, value_ids)
    select $1::uuid,
      pg_temp.id_at(now() - greatest(0, ago - 1) * interval '1 day' - no * interval '7 minutes', group_id::text || build_id || ago || no),
      group_id, build_id, 'player-' || (no * 7 + ago * 3) % 60, '', false, '{}'
    from past_crashes cross join lateral generate_series(1, devices) as no where ago <= 7 and status = 'open'`,
];

const BUG_ROWS = `insert into bug_tickets (game_id, bug_id, filed_by, message, status, filed_at, updated_at, os, arch)
  select $2::uuid, pg_temp.id_at(at, message), 'Robin', message, status, at, at, 'windows', 'x86_64'
  from json_to_recordset($1) as given (message text, "daysAgo" int, status text)
    cross join lateral (select now() - "daysAgo" * interval '1 day' as at) as filed
  order by "daysAgo" desc`;
