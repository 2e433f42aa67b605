// The SQL that reads crash reports: pages of a list, and single reports with their files.
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import type { CrashState } from '@chauffeur/contract/operations/crash-reports';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows, transact } from '../../../kernel/database/db.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';
import { type FacetWindow, withValues } from './filters.sql.ts';
import type { GroupSearch } from './search.ts';

export type SummaryRow = {
  report_id: string;
  kind: ReportKind;
  build_id: string;
  /** The version of the build, or the version in the report if the build was deleted. */
  version: string;
  group_id: string | null;
  state: CrashState;
  signature: string | null;
  reason: string | null;
  message: string;
  user_message: string;
  os: string;
  arch: string;
  device_uid: string | null;
  received_at: Date;
};

const summary = sql.raw(
  'report_id, kind, build_id, group_id, state, signature, reason, message, user_message, os, arch, device_uid, received_at, app_version',
);
const selectedColumns = sql.raw(
  `report_id, selected.kind, selected.build_id, coalesce(merged_into, selected.group_id) as group_id, state, signature,
    selected.reason, message, user_message, selected.os, selected.arch, device_uid, received_at`,
);

export type ReportPage = { before: string | null; limit: number };

/** A condition on the columns of a report. */
export type Condition = RawBuilder<unknown>;

type Filters = {
  buildId: string | undefined;
  groupId: string | undefined;
  os: string | undefined;
  kind: ReportKind | undefined;
};

/** Has conditions only for the filters that are set, so the planner can choose the index for them. */
export function conditionsOf({ buildId, groupId, os, kind }: Filters): Condition[] {
  const conditions: Condition[] = [];
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  if (groupId !== undefined) conditions.push(sql`group_id = ${groupId}`);
  if (os !== undefined) conditions.push(sql`os = ${os}`);
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`);
  return conditions;
}

/** Whether the game has reports of errors that it handled. */
export async function hasErrors(db: Db, gameId: string): Promise<boolean> {
  const { has_errors } = await onlyRow(
    db,
    sql<{ has_errors: boolean }>`select exists (
      select from crash_reports where game_id = ${gameId} and kind = 'error') as has_errors`,
  );
  return has_errors;
}

/** The newest reports before `before`, and from the id `from` on unless it is null, newest first. */
export function listReports(
  db: Db,
  gameId: string,
  wanted: Wanted,
  { from, ...page }: ReportPage & { from: string | null },
): Promise<SummaryRow[]> {
  return withVersions(db, gameId, newestFirst(gameId, summary, since(wanted, from), page));
}

/**
 * The oldest of a game's reports, or of its counted reports, and the first id after the newest; undefined if there is
 * none.
 */
export async function findEnds(
  db: Db,
  gameId: string,
  table: 'crash_reports' | 'crash_impact',
): Promise<{ oldest: string; before: string } | undefined> {
  const end = (order: Condition) =>
    sql`(select report_id from ${sql.table(table)} where game_id = ${gameId} order by report_id ${order} limit 1)`;
  const { oldest, newest } = await onlyRow(
    db,
    sql<{
      oldest: string | null;
      newest: string | null;
    }>`select ${end(sql`asc`)} as oldest, ${end(sql`desc`)} as newest`,
  );
  return oldest === null || newest === null ? undefined : { oldest, before: firstIdAt(timeOfId(newest) + 1) };
}

/**
 * What reports are wanted: all conditions and checks hold. No index finds the reports that pass a check. `key` has
 * values of a column of which a report has one, as a condition says as well.
 */
export type Wanted = {
  readonly conditions: readonly Condition[];
  readonly checks: readonly Condition[];
  readonly key?: Key | undefined;
};

/** The same, from the id `from` on. */
export function since(wanted: Wanted, from: string | null): Wanted {
  if (from === null) return wanted;
  return { ...wanted, conditions: [...wanted.conditions, sql`report_id >= ${from}::uuid`] };
}

export type Key = { readonly column: 'build_id' | 'group_id' | 'os'; readonly values: readonly string[] };

/**
 * Entries of an index that are read to find reports by the values of a key. With more, all reports are checked in
 * order.
 */
const MAX_ENTRIES = 100_000;

/**
 * SQL of the newest reports. The index of a column has the reports of each value in order: with several values, the
 * newest of each are merged. The planner would rather check all reports from the newest on, however few match.
 */
export function newestFirst(
  gameId: string,
  columns: RawBuilder<unknown>,
  { conditions, checks, key }: Wanted,
  { before, limit }: ReportPage,
): RawBuilder<unknown> {
  const all = allOf(gameId, [...conditions, ...checks], before);
  const order = sql`order by report_id desc limit ${limit}`;
  if (key === undefined || key.values.length * limit > MAX_ENTRIES)
    return sql`select ${columns} from crash_reports where ${all} ${order}`;
  const type = sql.raw(key.column === 'os' ? 'text[]' : 'uuid[]');
  return sql`select ${columns} from crash_reports where game_id = ${gameId} and report_id = any(array(
      select report_id from unnest(${key.values}::${type}) as wanted (value) cross join lateral (
        select report_id from crash_reports where ${sql.ref(key.column)} = wanted.value and ${all} ${order}
      ) as newest ${order}
    )) ${order}`;
}

/** The matches among the newest reports. `reach` is the range of checked reports; null if all reports were checked. */
export type CheckedNewest = { matches: SummaryRow[]; reach: { newest: string; oldest: string } | null };

/** Checks the newest reports that meet the conditions for a page that also passes the checks and matches `searches`. */
export async function checkNewest(
  db: Db,
  gameId: string,
  wanted: Wanted,
  searches: readonly GroupSearch[],
  { before, limit }: ReportPage,
): Promise<CheckedNewest> {
  const checked = (columns: RawBuilder<unknown>) =>
    newestFirst(gameId, columns, { ...wanted, checks: [] }, { before, limit: MAX_CHECKED });
  const [ends, matches] = await Promise.all([
    rows(
      db,
      sql<{ report_id: string }>`with checked as materialized (${checked(sql`report_id`)})
        (select report_id from checked order by report_id desc limit 1)
        union all
        (select report_id from checked order by report_id desc limit 1 offset ${MAX_CHECKED - 1})`,
    ),
    withVersions(
      db,
      gameId,
      sql`select * from (${checked(sql`${summary}, functions, words, metadata`)}) newest
        where ${every([...wanted.checks, ...searches.map(({ inRow }) => inRow)])} order by report_id desc limit ${limit}`,
    ),
  ]);
  const [newest, oldest] = ends
    .map(({ report_id }) => report_id)
    .toSorted()
    .toReversed();
  return { matches, reach: newest === undefined || oldest === undefined ? null : { newest, oldest } };
}

/** This number fills a page of 50 if one report in 20 matches. */
const MAX_CHECKED = 1000;

/**
 * Uses an index to find all reports from the id `from` on that meet `conditions`, and returns the newest. Fast if there
 * are few matches.
 */
export function searchReports(
  db: Db,
  gameId: string,
  conditions: readonly Condition[],
  { before, limit, from }: ReportPage & { from: string | null },
): Promise<SummaryRow[]> {
  const bounds = from === null ? [] : [sql`report_id >= ${from}::uuid`];
  const all = allOf(gameId, [...conditions, ...bounds], before);
  return transact(db, async (tx) => {
    await onlyIndexes(tx);
    return withVersions(
      tx,
      gameId,
      sql`with matching as materialized (select report_id from crash_reports where ${all})
        select ${summary} from crash_reports
        where game_id = ${gameId} and report_id in (select report_id from matching order by report_id desc limit ${limit})`,
    );
  });
}

/**
 * The planner underestimates the cost of comparing arrays and would scan the whole window, so only bitmap scans, which
 * combine indexes, are left enabled in this transaction. It also overestimates how many lists of functions match, and
 * would start parallel workers for too little work.
 */
export async function onlyIndexes(tx: Db): Promise<void> {
  await rows(
    tx,
    sql`select set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`,
  );
}

/** The newest reports of a window that meet all `conditions` and have one of the values of each list. */
export function searchValues(
  db: Db,
  gameId: string,
  { conditions, lists }: { conditions: readonly Condition[]; lists: readonly (readonly number[])[] },
  { window, limit }: { window: FacetWindow; limit: number },
): Promise<SummaryRow[]> {
  const bounds = [
    sql`report_id < ${window.to}::uuid`,
    ...(window.from === null ? [] : [sql`report_id >= ${window.from}::uuid`]),
  ];
  // Without conditions, no others are needed.
  const newest = conditions.length === 0 ? sql`order by report_id desc limit ${limit}` : sql``;
  return withVersions(
    db,
    gameId,
    sql`with matching as materialized (${withValues(gameId, lists, window)})
      select ${summary} from crash_reports where ${allOf(gameId, [...bounds, ...conditions], null)}
        and report_id = any(array(select report_id from matching ${newest}))
      order by report_id desc limit ${limit}`,
  );
}

function allOf(gameId: string, conditions: readonly Condition[], before: string | null): Condition {
  return every([
    sql`game_id = ${gameId}`,
    ...conditions,
    ...(before === null ? [] : [sql`report_id < ${before}::uuid`]),
  ]);
}

function every(conditions: readonly Condition[]): Condition {
  return sql.join(conditions, sql` and `);
}

/** The reports that `reports` selects, newest first, with the versions of their builds. */
function withVersions(db: Db, gameId: string, reports: RawBuilder<unknown>): Promise<SummaryRow[]> {
  return rows(
    db,
    sql<SummaryRow>`select ${selectedColumns}, coalesce(version, app_version) as version
      from (${reports}) selected left join builds on builds.game_id = ${gameId} and builds.build_id = selected.build_id
        left join crash_groups on crash_groups.game_id = ${gameId} and crash_groups.group_id = selected.group_id
      order by report_id desc`,
  );
}

export type DeviceCrashRow = { crash_id: string; build_id: string; group_id: string; received_at: Date };

/** The newest reports of a device with these ids, without reports that are still being processed. */
export function listCrashesOfDevice(
  db: Db,
  gameId: string,
  deviceUids: readonly string[],
  limit: number,
): Promise<DeviceCrashRow[]> {
  return rows(
    db,
    sql<DeviceCrashRow>`select crash_impact.report_id as crash_id, crash_impact.build_id, place_id as group_id, received_at
      from crash_impact join crash_reports using (game_id, report_id)
      where game_id = ${gameId} and crash_impact.device_uid = any(${deviceUids}::text[]) and crash_impact.device_uid <> ''
      order by crash_impact.report_id desc limit ${limit}`,
  );
}
