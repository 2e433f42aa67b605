// The SQL of filters by facets and devices.
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { type Db, onlyRow, row, rows } from '../../../kernel/database/db.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import type { Search } from './search.sql.ts';

type Condition = RawBuilder<unknown>;

export type FoundValue = { readonly value_id: number; readonly value: string };

/** The values of a facet that match one of these patterns of `ilike`. */
export function findValues(db: Db, gameId: string, facet: string, patterns: readonly string[]): Promise<FoundValue[]> {
  return rows(
    db,
    sql<FoundValue>`select value_id, value from crash_facet_values
      where game_id = ${gameId} and facet = ${facet} and value <> '' and value ilike any(${patterns}::text[])`,
  );
}

export async function findValueIds(
  db: Db,
  gameId: string,
  facet: string,
  patterns: readonly string[],
): Promise<number[]> {
  return (await findValues(db, gameId, facet, patterns)).map(({ value_id }) => value_id);
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

/** A condition on groups. If many groups meet it, it is faster to check them in the order of the list. */
export type GroupCondition = { readonly condition: Condition; readonly isCommon: boolean };

/** Counts of groups that are read at once. With more, a list finds enough groups among its first. */
const MAX_READ = 2000;

/** Whether there are so many of the counted rows that a condition is better checked in the order of the list. */
export async function isCommon(db: Db, counted: RawBuilder<unknown>): Promise<boolean> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) from (select from ${counted} limit ${MAX_READ + 1}) as counted`,
  );
  return count > MAX_READ;
}

/** Groups with a report that has one of these values. */
export async function groupHasValue(db: Db, gameId: string, valueIds: readonly number[]): Promise<GroupCondition> {
  const counted = sql`crash_group_values valued where valued.game_id = ${gameId}
    and valued.value_id = any(${sorted(valueIds)}::bigint[])`;
  return (await isCommon(db, counted))
    ? {
        // If it is a subquery of one value, the planner cannot choose to read all groups with the values.
        condition: sql`(select true from ${counted} and valued.group_id = crash_groups.group_id limit 1) is not null`,
        isCommon: true,
      }
    : { condition: sql`group_id in (select valued.group_id from ${counted} offset 0)`, isCommon: false };
}

/** The index reads neighbouring values together. */
function sorted(valueIds: readonly number[]): number[] {
  return valueIds.toSorted((a, b) => a - b);
}

/** Groups with a report of one of these devices. */
export function groupHasDevice(gameId: string, devices: readonly string[]): Condition {
  return sql`group_id in (select sent.place_id from crash_impact sent
    where sent.game_id = ${gameId} and sent.device_uid <> '' and sent.device_uid = any(${devices}::text[]))`;
}

/** Reports with one of these values. `inRow` if it is something else on rows that were already read. */
export function matchValues(gameId: string, valueIds: readonly number[], inRow?: Condition): Search {
  const keys = keysOf(valueIds, null);
  return {
    inRow:
      inRow ??
      // The outer report_id, under a name that crash_impact does not have.
      sql`exists (select from (values (report_id)) as report (id) join crash_impact facets on facets.report_id = report.id
        where facets.game_id = ${gameId} and facets.value_ids && ${valueIds}::bigint[])`,
    inIndex: async (from) => sql`report_id = any(array(
      select facets.report_id from crash_impact facets where facets.game_id = ${gameId} and ${haveKeys(keys)}
        ${from === null ? sql`` : sql`and facets.report_id >= ${from}::uuid`}))`,
    values: valueIds,
  };
}

function haveKeys(keys: readonly string[]): Condition {
  return sql`crash_value_keys(value_ids, report_id) && ${keys}::bigint[] and value_ids <> '{}'`;
}

/** A window of reports: from this id on, and below the other. */
export type Window = { readonly from: string | null; readonly to: string };

/**
 * SQL of the ids of counted reports of a window that have one of the values of each list. It starts no scan by id: the
 * planner expects far more matches than there are.
 */
export function withValues(gameId: string, lists: readonly (readonly number[])[], window: Window): RawBuilder<unknown> {
  const bounds = sql.join(
    [sql`report_id < ${window.to}::uuid`, ...(window.from === null ? [] : [sql`report_id >= ${window.from}::uuid`])],
    sql` and `,
  );
  const conditions = lists.map((valueIds) => haveKeys(keysOf(valueIds, window)));
  return sql`select report_id from crash_impact where game_id = ${gameId} and (${bounds}) is true
    and ${sql.join(conditions, sql` and `)}`;
}

/** More keys take longer than reading all reports with the values. */
const MAX_KEYS = 2000;

/**
 * The keys of `crash_value_keys` that the index has for these values on the days of a window; without days if it is
 * long.
 */
export function keysOf(valueIds: readonly number[], window: Window | null): string[] {
  const [first, last] = window === null || window.from === null ? [0, 0] : [dayOf(window.from), dayOf(window.to)];
  const days = last - first + 1;
  if (first === 0 || days >= DAYS_APART || days * valueIds.length > MAX_KEYS) return valueIds.map(String);
  const ofDays = Array.from({ length: days }, (_, index) => BigInt(((first + index) % DAYS_APART) + 1) << 53n);
  return valueIds.flatMap((id) => ofDays.map((day) => String(BigInt(id) | day)));
}

/** Days that are so far apart have the same keys. */
const DAYS_APART = 1000;

function dayOf(reportId: string): number {
  return Math.floor(timeOfId(reportId) / DAY);
}

/** The counted report that came first; null if there is none. */
export async function findOldest(db: Db, gameId: string): Promise<string | null> {
  const oldest = await row(
    db,
    sql<{ report_id: string }>`select report_id from crash_impact where game_id = ${gameId} order by report_id limit 1`,
  );
  return oldest?.report_id ?? null;
}

/** Reports of one of these devices. */
export function ofDevices(gameId: string, devices: readonly string[]): Condition {
  return sql`report_id = any(array(select sent.report_id from crash_impact sent
    where sent.game_id = ${gameId} and sent.device_uid <> '' and sent.device_uid = any(${devices}::text[])))`;
}
