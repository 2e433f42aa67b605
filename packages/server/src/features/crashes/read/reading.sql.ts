// The SQL that reads crash reports: pages of them, one of them, and what is kept of them.
import type { CrashSource, CrashState } from '@chauffeur/contract/operations/crashes';
import { type RawBuilder, sql } from 'kysely';
import { type Db, row, rows, type Tx, transact } from '../../../kernel/db.ts';
import type { ExcerptFrame } from '../process/excerpt.ts';
import type { Search } from './search.sql.ts';

export type SummaryRow = {
  report_id: string;
  build_id: string;
  /** What the report says itself, where the build is gone. */
  version: string;
  group_id: string | null;
  state: CrashState;
  signature: string | null;
  reason: string | null;
  message: string;
  user_message: string;
  os: string;
  arch: string;
  received_at: Date;
};

export type ReportRow = SummaryRow & {
  source: CrashSource;
  app_name: string;
  app_version: string;
  engine_version: string;
  anonymous: boolean;
  metadata: Record<string, string | number | boolean | null>;
  crash_address: string | null;
  failure: string | null;
  processed_at: Date | null;
  frames: ExcerptFrame[] | null;
  missing_symbols: string[];
} & StoredFiles;

/** Keys of the blobs that a report has. */
export type StoredFiles = {
  dump_key: string | null;
  dump_size: number | null;
  log_key: string | null;
  log_size: number | null;
  stack_key: string | null;
};

const summary = sql.raw(
  'report_id, build_id, group_id, state, signature, reason, message, user_message, os, arch, received_at, app_version',
);
const found = sql.raw(
  `report_id, found.build_id, group_id, state, signature, reason, message, user_message, found.os, found.arch, received_at`,
);
const files = sql.raw('dump_key, dump_size, log_key, log_size, stack_key');

export type Page = { before: string | null; limit: number };

/** Reports for which every one of `conditions` holds, the newest first, those older than `before` only. */
export function listReports(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  { before, limit }: Page,
): Promise<SummaryRow[]> {
  return withVersions(
    db,
    gameId,
    sql`select ${summary} from crash_reports where ${allOf(gameId, conditions, before)} order by report_id desc limit ${limit}`,
  );
}

/** What was found among the newest reports, and how far back they reach; null when that is all the way. */
export type LookedThrough = { found: SummaryRow[]; reach: { newest: string; oldest: string } | null };

/** Looks through the newest reports for a page of those that also match `searches`. */
export async function lookThroughNewest(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  searches: readonly Search[],
  { before, limit }: Page,
): Promise<LookedThrough> {
  const all = allOf(gameId, conditions, before);
  const [ends, found] = await Promise.all([
    rows(
      db,
      sql<{ report_id: string }>`
        (select report_id from crash_reports where ${all} order by report_id desc limit 1)
        union all
        (select report_id from crash_reports where ${all} order by report_id desc limit 1 offset ${LOOKED_THROUGH - 1})`,
    ),
    withVersions(
      db,
      gameId,
      sql`select * from (
          select ${summary}, functions, words from crash_reports where ${all} order by report_id desc limit ${LOOKED_THROUGH}
        ) newest where ${every(searches.map(({ inRow }) => inRow))} order by report_id desc limit ${limit}`,
    ),
  ]);
  const [newest, oldest] = ends
    .map(({ report_id }) => report_id)
    .toSorted()
    .toReversed();
  return { found, reach: newest === undefined || oldest === undefined ? null : { newest, oldest } };
}

/** A page of 50 is found in them when one in 20 matches. */
const LOOKED_THROUGH = 1000;

/** Finds all reports with ids from `from` on that an index has for `conditions`, and answers the newest: good where they are few. */
export function searchReports(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  { before, limit, from }: Page & { from: string | null },
): Promise<SummaryRow[]> {
  const bounds = from === null ? [] : [sql`report_id >= ${from}::uuid`];
  const all = allOf(gameId, [...conditions, ...bounds], before);
  return transact(db, async (tx) => {
    // The planner takes comparing arrays for cheap and would walk through all of the window; what is left is to combine indexes. It also takes
    // every list of functions for common, and to start workers takes longer than what they are to help with.
    await rows(
      tx,
      sql`select set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true),
        set_config('max_parallel_workers_per_gather', '0', true)`,
    );
    return withVersions(
      tx,
      gameId,
      sql`with matching as materialized (select report_id from crash_reports where ${all})
        select ${summary} from crash_reports
        where game_id = ${gameId} and report_id in (select report_id from matching order by report_id desc limit ${limit})`,
    );
  });
}

function allOf(gameId: string, conditions: readonly RawBuilder<unknown>[], before: string | null): RawBuilder<unknown> {
  return every([
    sql`game_id = ${gameId}`,
    ...conditions,
    ...(before === null ? [] : [sql`report_id < ${before}::uuid`]),
  ]);
}

function every(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}

/** What `reports` finds, in the order of the list, with the versions of the builds. */
function withVersions(db: Db, gameId: string, reports: RawBuilder<unknown>): Promise<SummaryRow[]> {
  return rows(
    db,
    sql<SummaryRow>`select ${found}, coalesce(version, app_version) as version
      from (${reports}) found left join builds on builds.game_id = ${gameId} and builds.build_id = found.build_id
      order by report_id desc`,
  );
}

export function findReport(db: Db, gameId: string, reportId: string): Promise<ReportRow | undefined> {
  return row(
    db,
    sql<ReportRow>`
      select ${files}, report_id, crash_reports.build_id, coalesce(version, app_version) as version, group_id, state, signature, reason,
        message, user_message, crash_reports.os, crash_reports.arch, received_at, source, app_name, app_version,
        crash_reports.engine_version, anonymous, metadata, crash_address, failure, processed_at, frames, missing_symbols
      from crash_reports left join build_names as builds
        on builds.game_id = crash_reports.game_id and builds.build_id = crash_reports.build_id
      where crash_reports.game_id = ${gameId} and report_id = ${reportId}`,
  );
}

export function findFiles(db: Db, gameId: string, reportId: string): Promise<StoredFiles | undefined> {
  return row(
    db,
    sql<StoredFiles>`select ${files} from crash_reports join games using (game_id)
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** Of these ids, those of reports that are kept. */
export async function existingReports(db: Db, gameId: string, reportIds: readonly string[]): Promise<Set<string>> {
  if (reportIds.length === 0) return new Set();
  const found = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
  return new Set(found.map(({ report_id }) => report_id));
}

/** Deletes a report that is in no group any more; answers what it leaves in the blob store. Undefined when there was none. */
export function deleteReport(tx: Tx, gameId: string, reportId: string): Promise<StoredFiles | undefined> {
  return row(
    tx,
    sql<StoredFiles>`delete from crash_reports where game_id = ${gameId} and report_id = ${reportId} returning ${files}`,
  );
}

/** The files of these reports, of whatever game: for the sweeper, which knows them by their blobs. */
export function filesOf(db: Db, reportIds: readonly string[]): Promise<StoredFiles[]> {
  return rows(db, sql<StoredFiles>`select ${files} from crash_reports where report_id = any(${reportIds}::uuid[])`);
}
