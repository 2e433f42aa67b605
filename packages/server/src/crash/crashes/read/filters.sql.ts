// The SQL of filters of groups and reports: by OS and build, by facets and devices, and by the metadata of games.
// Values that are counted are found by their ids. What a game has too much of to count, or what is too long, is only
// compared with the metadata of the newest reports.
import { METADATA_PREFIX } from '@chauffeur/contract/crash-query';
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { type Db, onlyRow, row, rows } from '../../../kernel/database/db.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { MAX_METADATA_LENGTH } from '../groups/facet-rules.ts';
import type { GroupSearch } from './search.ts';

type Condition = RawBuilder<unknown>;

type FoundValue = { readonly value_id: number; readonly value: string };

/** The values of a facet that match one of these patterns of `ilike`. */
function findValues(db: Db, gameId: string, facet: string, patterns: readonly string[]): Promise<FoundValue[]> {
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
async function isCommon(db: Db, counted: RawBuilder<unknown>): Promise<boolean> {
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
export function matchValues(gameId: string, valueIds: readonly number[], inRow?: Condition): GroupSearch {
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
export type FacetWindow = { readonly from: string | null; readonly to: string };

/**
 * SQL of the ids of counted reports of a window that have one of the values of each list. It starts no scan by id: the
 * planner expects far more matches than there are.
 */
export function withValues(
  gameId: string,
  lists: readonly (readonly number[])[],
  window: FacetWindow,
): RawBuilder<unknown> {
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
function keysOf(valueIds: readonly number[], window: FacetWindow | null): string[] {
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

export function like(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> {
  return sql`${column} ilike any(${patternsOf(values)}::text[])`;
}

/** The values as patterns of `ilike`. */
export function patternsOf(values: readonly string[]): string[] {
  return values.map((value) => value.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%'));
}

/** What the reports of a group are counted by; undefined for any. */
type CountedFilter = {
  readonly oses: readonly string[] | undefined;
  readonly buildIds: readonly string[] | undefined;
};

/** Groups with a report, also of a group merged into them, whose OS and build are both among these. */
export async function groupHasCounted(
  db: Db,
  gameId: string,
  { oses, buildIds }: CountedFilter,
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

/** Reports whose metadata is compared. More take too long. */
const MAX_COMPARED = 5000;

/** Whether the game counts values of this facet, and the id under which it counts values beyond its limit. */
function findOthers(db: Db, gameId: string, facet: string): Promise<{ isFacet: boolean; id: number | null }> {
  return onlyRow(
    db,
    sql<{ isFacet: boolean; id: number | null }>`select
        exists (select from crash_facet_values where game_id = ${gameId} and facet = ${facet}) as "isFacet",
        (select value_id from crash_facet_values where game_id = ${gameId} and facet = ${facet} and value = '') as id`,
  );
}

function hasMetadata(name: string, values: readonly string[]): Condition {
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

function matchNewest(db: Db, gameId: string, inRow: Condition, among: readonly number[] | null): GroupSearch {
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

function groupHasMetadata(gameId: string, inRow: Condition, among: readonly number[] | null): Condition {
  return sql`group_id in (
    select coalesce(found.merged_into, found.group_id) from ${newestOf(gameId, among, null)} join crash_groups found using (group_id)
    where found.game_id = ${gameId} and ${inRow})`;
}

/**
 * The values of a facet that match. If others may match as well, `among` has all values that reports with a match can
 * have; null for any reports.
 */
type Values = { readonly ids: readonly number[]; readonly among?: readonly number[] | null };

async function valuesOf(db: Db, gameId: string, name: string, values: readonly string[]): Promise<Values> {
  const facet = METADATA_PREFIX + name;
  const [found, others] = [
    await findValues(db, gameId, facet, patternsOf(values)),
    await findOthers(db, gameId, facet),
  ];
  const ids = found.map(({ value_id }) => value_id);
  const counted = new Set(found.map(({ value }) => value.toLowerCase()));
  if (values.every((value) => counted.has(value.toLowerCase()))) return { ids };
  if (!others.isFacet || values.some((value) => value.length > MAX_METADATA_LENGTH)) return { ids, among: null };
  return others.id === null ? { ids } : { ids, among: [...ids, others.id] };
}

/** Numbers, booleans and null are compared as texts. Names of metadata are matched without regard to case. */
export async function matchMetadata(
  db: Db,
  gameId: string,
  name: string,
  values: readonly string[],
): Promise<GroupSearch> {
  const { ids, among } = await valuesOf(db, gameId, name, values);
  const inRow = hasMetadata(name, values);
  return among === undefined ? matchValues(gameId, ids, inRow) : matchNewest(db, gameId, inRow, among);
}

export async function groupMetadata(
  db: Db,
  gameId: string,
  name: string,
  values: readonly string[],
): Promise<GroupCondition> {
  const { ids, among } = await valuesOf(db, gameId, name, values);
  if (among === undefined) return groupHasValue(db, gameId, ids);
  return { condition: groupHasMetadata(gameId, hasMetadata(name, values), among), isCommon: false };
}
