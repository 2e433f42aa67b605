// The SQL of filters of groups by what their reports are counted by: OS and build.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { type GroupCondition, isCommon } from './facet-filters.sql.ts';
import { patternsOf } from './patterns.sql.ts';

/** What the reports of a group are counted by; undefined for any. */
export type Counted = {
  readonly oses: readonly string[] | undefined;
  readonly buildIds: readonly string[] | undefined;
};

/** Groups with a report, also of a group merged into them, whose OS and build are both among these. */
export async function groupHasCounted(
  db: Db,
  gameId: string,
  { oses, buildIds }: Counted,
  hasMerges: boolean,
): Promise<GroupCondition> {
  const conditions = [
    sql`counted.game_id = ${gameId}`,
    ...(oses === undefined ? [] : [sql`counted.os = any(${oses}::text[])`]),
    ...(buildIds === undefined ? [] : [sql`counted.build_id = any(${buildIds}::uuid[])`]),
  ];
  const counted = sql`crash_group_totals counted where ${sql.join(conditions, sql` and `)}`;
  const isOfMany = await isCommon(db, counted);
  const isOfGroup = hasMerges
    ? sql`counted.group_id = any(crash_groups.group_id || crash_groups.members)`
    : sql`counted.group_id = crash_groups.group_id`;
  const condition = isOfMany
    ? sql`(select true from ${counted} and ${isOfGroup} limit 1) is not null`
    : !hasMerges
      ? sql`group_id in (select counted.group_id from ${counted} offset 0)`
      : sql`group_id in (select coalesce(head.merged_into, head.group_id) from (select group_id from ${counted} offset 0) as member
        join crash_groups head on head.game_id = ${gameId} and head.group_id = member.group_id)`;
  return { condition, isCommon: isOfMany };
}

/** The OSes of a game's reports that match one of these values, in which `*` matches any characters. */
export async function findOses(db: Db, gameId: string, values: readonly string[]): Promise<string[]> {
  if (!values.some((value) => value.includes('*'))) return [...values];
  // Reads one entry of the index for each OS.
  const found = await rows(
    db,
    sql<{ os: string }>`with recursive named as (
        (select os from crash_group_totals where game_id = ${gameId} order by os limit 1)
        union all
        select (select os from crash_group_totals where game_id = ${gameId} and os > named.os order by os limit 1)
        from named where named.os is not null
      ) select os from named where os ilike any(${patternsOf(values)}::text[])`,
  );
  return found.map(({ os }) => os);
}
