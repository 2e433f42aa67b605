// Fills a game with crash reports in the proportions of a popular game, by SQL, because clients would take hours.
import type pg from 'pg';
import { deviceOf, seedImpact } from './impact-seed.ts';

export const DAYS = 90;
const BUILDS = 40;
const GROUPS = 10_000;
const REPORTS_OF_DEVICE = 2;
/** The number of functions of each group, and of functions that all groups share. */
const OWN_FUNCTIONS = 6;
const SHARED_FUNCTIONS = 4000;
const SHARED_IN_STACK = 14;

/**
 * The data that reports are generated from: groups with different stacks and messages, some of which are far more
 * frequent than others; consecutive builds; and words in the messages of players.
 */
const PREPARE = `
create temporary table drawn_builds as
  select row_number() over (order by version) - 1 as no, build_id, os from builds where game_id = $1;
create temporary table drawn_groups as
  select no, gen_random_uuid() as group_id, functions, functions[1] || ' | ' || functions[2] as signature,
    (select jsonb_agg(jsonb_build_object('function', name, 'module', 'game', 'file', 'src/engine/file' || no % 97 || '.cc', 'line', no % 900,
        'offset', '0x' || to_hex(no * 64), 'trust', 'cfi', 'inlined', false)) from unnest(functions[1:10]) as name) as frames,
    'Could not ' || (array['load', 'open', 'write', 'allocate', 'decode'])[no % 5 + 1] || ' '
      || (array['texture', 'shader', 'save', 'level', 'sound'])[no / 5 % 5 + 1] || ' resource' || no as message
  from (
    select no, array(select 'game::Part' || no % 60 || '::Class' || no % 700 || '::method' || no || '_' || own || '(int, float)'
          from generate_series(1, ${OWN_FUNCTIONS}) own)
        || array(select 'engine::Layer' || pick % 40 || '::step' || pick || '(Context&)'
          from (select floor(random() * random() * ${SHARED_FUNCTIONS} + 0 * shared)::integer + 0 * no as pick
            from generate_series(1, ${SHARED_IN_STACK}) shared) picks)
        || array['engine::run(int, char**)', 'main', '__libc_start_main'] as functions
    from generate_series(0, ${GROUPS} - 1) no
  ) groups;
create unique index on drawn_groups (no);
create temporary table drawn_words as
  select array_agg('word' || no) as words from generate_series(1, 2000) no;`;

const REPORTS = `
insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version, engine_version, os, arch, message,
  user_message, anonymous, metadata, dump_key, dump_size, stack_key, reason, crash_address, signature, frames, functions, missing_symbols,
  processed_at, group_id, grouping_version, words, device_uid, session_id, facets_version)
select $1, (lpad(to_hex(ms), 12, '0') || '7' || substr(noise, 1, 3) || '8' || substr(noise, 4, 15))::uuid, build_id,
  to_timestamp(ms / 1000.0), 'api', 'processed', 'Bench', '1.0', '4.3', os, 'x86_64', message,
  user_message,
  false, jsonb_build_object('level', 'level ' || drawn.no % 50, 'difficulty', 'difficulty ' || drawn.no % 4, 'gpu', 'some card'), 'crashes/x', 2000000, 'crashes/y', 'SIGSEGV / SEGV_MAPERR', '0x14', signature, frames,
  functions, '{}', to_timestamp(ms / 1000.0), group_id, 1,
  crash_words(signature || ' ' || message || ' ' || user_message), device_uid, md5('session' || drawn.no), 1
from (
  select no, md5(random()::text || no) as noise, (random() * $2::bigint)::bigint as age,
    floor(power(random(), 3) * ${GROUPS})::integer as group_no, ${deviceOf('random()', '$5')} as device_uid
  from generate_series($3::integer, $4::integer) no order by age desc
) drawn
cross join lateral (select extract(epoch from now())::bigint * 1000 - age as ms) moment
join drawn_groups on drawn_groups.no = group_no
-- A player has the newest build, or one of the two before it.
join drawn_builds on drawn_builds.no = greatest(0, ${BUILDS - 1} - age * ${BUILDS} / ($2::bigint + 1) - drawn.no % 3)
cross join drawn_words
cross join lateral (select case when drawn.no % 10 = 0 then 'It crashed when I opened ' || words[1 + drawn.no % 2000] || ' and then ' || words[1 + drawn.no % 1999] else '' end
  as user_message) comments`;

const GROUP_ROWS = `
insert into crash_groups (game_id, group_id, key, kind, title, reason, explanation, count, first_seen, last_seen, sample_report_id,
  grouping_version)
select $1, group_id, uuid_send(group_id), 'stack', min(signature), min(reason), '[]', count(*), min(received_at), max(received_at),
  (array_agg(report_id order by report_id desc))[1], 1
from crash_reports where game_id = $1 group by group_id`;

const COUNTS = `
insert into crash_group_counts (game_id, group_id, build_id, os, day, count)
select $1, group_id, build_id, os, (received_at at time zone 'UTC')::date, count(*)
from crash_reports where game_id = $1 group by 2, 3, 4, 5;
insert into crash_group_totals (game_id, group_id, build_id, os, count)
select $1, group_id, build_id, os, sum(count) from crash_group_counts where game_id = $1 group by 2, 3, 4;
insert into crash_group_days (game_id, group_id, day, count)
select $1, group_id, day, sum(count) from crash_group_counts where game_id = $1 group by 2, 3`;

const BUILD_ROWS = `
insert into builds (game_id, build_id, version, build_type, os, arch, channel, title, description, changelog, created_at)
select $1, gen_random_uuid(), to_char(no, 'FM000'), 'game', (array['windows', 'windows', 'windows', 'linux', 'macos'])[no % 5 + 1], 'x86_64',
  'stable', '', '', '[]', now() - make_interval(days => ${DAYS} - no * ${DAYS} / ${BUILDS})
from generate_series(0, ${BUILDS - 1}) no`;

/** Dropped before the rows are inserted and created again afterwards, which is many times faster. */
const BULKY_INDEXES = ['crash_reports_by_words', 'crash_reports_by_function'];

/** Creates the game's builds and the temporary tables for its reports. `seedReports` must use the same connection. */
export async function prepareSeed(client: pg.PoolClient, gameId: string): Promise<void> {
  await client.query(BUILD_ROWS, [gameId]);
  for (const statement of PREPARE.split(';')) if (statement.trim() !== '') await run(client, statement, gameId);
  await client.query(
    `insert into crash_functions (game_id, function) select distinct $1::uuid, name from drawn_groups, unnest(functions) as name`,
    [gameId],
  );
}

function run(client: pg.PoolClient, statement: string, gameId: string): Promise<unknown> {
  return client.query(statement.replaceAll('$1', `'${gameId}'`));
}

/** Adds so many reports of the last 90 days, and counts them. */
export async function seedReports(client: pg.PoolClient, gameId: string, reports: number): Promise<void> {
  const { rows } = await client.query<{ indexdef: string }>(
    `select pg_get_indexdef(oid) as indexdef from pg_class where relname = any($1)`,
    [BULKY_INDEXES],
  );
  await client.query(`drop index ${BULKY_INDEXES.join(', ')}`);
  await client.query(REPORTS, [gameId, DAYS * 86_400_000, 1, reports, Math.ceil(reports / REPORTS_OF_DEVICE)]);
  for (const { indexdef } of rows) await client.query(indexdef.replace(' ON ONLY ', ' ON '));
  await client.query(GROUP_ROWS, [gameId]);
  for (const statement of COUNTS.split(';')) await client.query(statement, [gameId]);
  await seedImpact(client, gameId);
}
