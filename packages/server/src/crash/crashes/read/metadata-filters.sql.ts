// The SQL of filters by metadata that is compared with the reports themselves.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';
import { keysOf } from './facet-filters.sql.ts';
import { like } from './patterns.sql.ts';
import type { Search } from './search.sql.ts';

type Condition = RawBuilder<unknown>;

/** Reports whose metadata is compared. More take too long. */
const MAX_COMPARED = 5000;

/** Whether the game counts values of this facet, and the id under which it counts values beyond its limit. */
export function findOthers(db: Db, gameId: string, facet: string): Promise<{ isFacet: boolean; id: number | null }> {
  return onlyRow(
    db,
    sql<{ isFacet: boolean; id: number | null }>`select
        exists (select from crash_facet_values where game_id = ${gameId} and facet = ${facet}) as "isFacet",
        (select value_id from crash_facet_values where game_id = ${gameId} and facet = ${facet} and value = '') as id`,
  );
}

export function hasMetadata(name: string, values: readonly string[]): Condition {
  return sql`exists (select from jsonb_each_text(metadata) as entry (name, value)
    where lower(entry.name) = ${name} and ${like(sql`entry.value`, values)})`;
}

/** The newest reports, with one of these values unless they are null, in which a condition on metadata is checked. */
function newestOf(gameId: string, among: readonly number[] | null, from: string | null): Condition {
  const since = from === null ? sql`` : sql`and report_id >= ${from}::uuid`;
  const newest = sql`${since} order by report_id desc limit ${MAX_COMPARED}`;
  const wanted =
    among === null
      ? sql`${newest}`
      : sql`and report_id = any(array(select report_id from crash_impact where game_id = ${gameId} and value_ids <> '{}'
          and crash_value_keys(value_ids, report_id) && ${keysOf(among, null)}::bigint[] ${newest}))`;
  return sql`(select report_id, group_id, metadata from crash_reports where game_id = ${gameId} ${wanted}) as newest`;
}

export function matchNewest(db: Db, gameId: string, inRow: Condition, among: readonly number[] | null): Search {
  return {
    inRow,
    // A separate query, which can read the newest reports in order.
    async inIndex(from) {
      const found = await rows(
        db,
        sql<{ report_id: string }>`select report_id from ${newestOf(gameId, among, from)} where ${inRow}`,
      );
      return sql`report_id = any(${found.map(({ report_id }) => report_id)}::uuid[])`;
    },
  };
}

export function groupHasMetadata(gameId: string, inRow: Condition, among: readonly number[] | null): Condition {
  return sql`group_id in (
    select coalesce(found.merged_into, found.group_id) from ${newestOf(gameId, among, null)} join crash_groups found using (group_id)
    where found.game_id = ${gameId} and ${inRow})`;
}
