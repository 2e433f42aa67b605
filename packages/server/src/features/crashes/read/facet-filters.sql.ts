// The SQL of filters by facets and devices.
import { type RawBuilder, sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import type { Search } from './search.sql.ts';

type Condition = RawBuilder<unknown>;

/** The values of a facet that match one of these patterns of `ilike`, by their ids. */
export async function findValueIds(
  db: Db,
  gameId: string,
  facet: string,
  patterns: readonly string[],
): Promise<number[]> {
  const found = await rows(
    db,
    sql<{ value_id: number }>`select value_id from crash_facet_values
      where game_id = ${gameId} and facet = ${facet} and value <> '' and value ilike any(${patterns}::text[])`,
  );
  return found.map(({ value_id }) => value_id);
}

/** The facets of a game: all keys of metadata that reports are counted by, and those of systems. */
export async function listFacets(db: Db, gameId: string): Promise<string[]> {
  // Reads one entry of the index for each facet.
  const found = await rows(
    db,
    sql<{ facet: string }>`with recursive named as (
        (select facet from crash_facet_values where game_id = ${gameId} order by facet limit 1)
        union all
        select (select facet from crash_facet_values where game_id = ${gameId} and facet > named.facet order by facet limit 1)
        from named where named.facet is not null
      ) select facet from named where facet is not null`,
  );
  return found.map(({ facet }) => facet);
}

/** Values of a facet that contain `part`, in the order of the alphabet. */
export async function listValues(
  db: Db,
  gameId: string,
  { facet, part, limit }: { facet: string; part: string; limit: number },
): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ value: string }>`select value from crash_facet_values
      where game_id = ${gameId} and facet = ${facet} and value <> '' and strpos(lower(value), lower(${part})) > 0
      order by value limit ${limit}`,
  );
  return found.map(({ value }) => value);
}

/** Groups with a report that has one of these values. */
export function groupHasValue(gameId: string, valueIds: readonly number[]): Condition {
  return sql`group_id in (select valued.group_id from crash_group_values valued
    where valued.game_id = ${gameId} and valued.value_id = any(${valueIds}::bigint[]))`;
}

/** Groups with a report of one of these devices. */
export function groupHasDevice(gameId: string, devices: readonly string[]): Condition {
  return sql`group_id in (select sent.place_id from crash_impact sent
    where sent.game_id = ${gameId} and sent.device_uid <> '' and sent.device_uid = any(${devices}::text[]))`;
}

/** Reports with one of these values. */
export function matchValues(gameId: string, valueIds: readonly number[], inRow?: Condition): Search {
  const hasValue = sql`value_ids && ${valueIds}::bigint[]`;
  return {
    inRow:
      inRow ??
      // The outer report_id, under a name that crash_impact does not have.
      sql`exists (select from (values (report_id)) as report (id) join crash_impact facets on facets.report_id = report.id
        where facets.game_id = ${gameId} and ${hasValue})`,
    inIndex: async (from) => sql`report_id = any(array(
      select facets.report_id from crash_impact facets where facets.game_id = ${gameId} and ${hasValue} and value_ids <> '{}'
        ${from === null ? sql`` : sql`and facets.report_id >= ${from}::uuid`}))`,
  };
}

/** Reports of one of these devices. */
export function ofDevices(gameId: string, devices: readonly string[]): Condition {
  return sql`report_id = any(array(select sent.report_id from crash_impact sent
    where sent.game_id = ${gameId} and sent.device_uid <> '' and sent.device_uid = any(${devices}::text[])))`;
}
