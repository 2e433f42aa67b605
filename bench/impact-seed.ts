// Fills the counts of devices, sessions and facets of the reports of crash-seed.ts, by SQL.
import type pg from 'pg';

/** The facets of the players' systems and of a game's own metadata, and how many values each has. */
export const FACET_VALUES = {
  os_version: 20,
  gpu: 150,
  driver: 400,
  cpu: 200,
  cores: 8,
  ram: 10,
  locale: 40,
  store: 5,
  'metadata.level': 50,
  'metadata.difficulty': 4,
} as const;

export type BenchFacet = keyof typeof FACET_VALUES;

/** The value of a facet with this number; low numbers are the most frequent. */
export function nameOfValue(facet: string, no: number): string {
  return `${facet.replace('metadata.', '')} ${no}`;
}

/** SQL of the id of one of so many devices, some of which send more reports than others. */
export function deviceOf(random: string, devices: string): string {
  return `md5('device' || floor(power(${random}, 1.3) * ${devices}::integer)::bigint)`;
}

const FACETS = Object.entries(FACET_VALUES);

const VALUES = `
insert into crash_facet_values (game_id, value_id, facet, value, seen_on)
select $1, hashtextextended($1::text || facet || no, 0) & 9007199254740991, facet, replace(facet, 'metadata.', '') || ' ' || no, now()
from (values ${FACETS.map(([facet, count]) => `('${facet}', ${count})`).join(', ')}) as facets (facet, count),
  generate_series(0, count - 1) no
on conflict do nothing`;

/** A device always has the same system. A third of the values of a facet have most of the devices. */
const IMPACT = `
insert into crash_impact (game_id, report_id, place_id, build_id, device_uid, session_id, is_distinct, totalled, value_ids)
select $1, report_id, group_id, build_id, device_uid, session_id, true, 2, array[${FACETS.map(
  ([facet, count], index) =>
    `ids${index}[1 + floor(power(abs(hashtext(device_uid || '${facet}') % 100000) / 100000.0, 2) * ${count})::integer]`,
).join(', ')}]
from crash_reports cross join (select ${FACETS.map(
  ([facet, count], index) =>
    `array(select hashtextextended($1::text || '${facet}' || no, 0) & 9007199254740991 from generate_series(0, ${count - 1}) no) as ids${index}`,
).join(', ')} offset 0) as ids
where game_id = $1 and not exists (select from crash_impact counted where counted.game_id = $1 and counted.report_id = crash_reports.report_id)`;

/** The slot of a device in the totals, as in totals.sql.ts. */
const SLOT = 'hashtext(device_uid) & 3';

const COUNTS = `
insert into crash_group_builds (game_id, group_id, build_id, reports, devices, sessions)
select $1, place_id, build_id, sum(reports), count(*), sum(sessions) from (
  select place_id, build_id, count(*) as reports, count(distinct session_id) as sessions
  from crash_impact where game_id = $1 group by place_id, build_id, device_uid
) as sent group by place_id, build_id;
update crash_groups set devices = sent.devices, sessions = sent.sessions from (
  select place_id, count(*) as devices, sum(sessions) as sessions from (
    select place_id, count(distinct session_id) as sessions from crash_impact where game_id = $1 group by place_id, device_uid
  ) as device group by place_id
) as sent where game_id = $1 and group_id = place_id;
insert into crash_group_values (game_id, group_id, value_id, reports, devices)
select $1, place_id, value_id, sum(reports), count(*) from (
  select place_id, value_ids, count(*) as reports from crash_impact where game_id = $1 group by place_id, device_uid, value_ids
) as sent cross join unnest(value_ids) as facet (value_id) group by place_id, value_id;
insert into crash_totals (game_id, scope_id, slot, reports, devices, sessions)
select $1, scope_id, ${SLOT}, sum(reports), count(*), sum(sessions) from (
  select scope_id, device_uid, count(*) as reports, count(distinct session_id) as sessions
  from crash_impact cross join lateral (values (game_id), (build_id)) as scopes (scope_id)
  where game_id = $1 group by scope_id, device_uid
) as sent group by 2, 3;
insert into crash_total_values (game_id, scope_id, value_id, slot, reports, devices)
select $1, scope_id, value_id, ${SLOT}, sum(reports), count(*) from (
  select scope_id, device_uid, value_ids, count(*) as reports
  from crash_impact cross join lateral (values (game_id), (build_id)) as scopes (scope_id)
  where game_id = $1 group by scope_id, device_uid, value_ids
) as sent cross join unnest(value_ids) as facet (value_id) group by 2, 3, 4`;

const INDEXES = ['crash_impact_by_place', 'crash_impact_by_device', 'crash_impact_by_value'];

/** Counts the reports of the game, all of which have a device. Its groups must have been counted. */
export async function seedImpact(client: pg.PoolClient, gameId: string): Promise<void> {
  const { rows } = await client.query<{ indexdef: string }>(
    'select pg_get_indexdef(oid) as indexdef from pg_class where relname = any($1)',
    [INDEXES],
  );
  await client.query(`set work_mem = '256MB'; set maintenance_work_mem = '512MB'; drop index ${INDEXES.join(', ')}`);
  for (const statement of [VALUES, IMPACT, ...COUNTS.split(';')])
    await client.query(statement.replaceAll('$1', `'${gameId}'`));
  for (const { indexdef } of rows) await client.query(indexdef);
  await client.query('reset work_mem');
  await client.query('vacuum analyze');
}
