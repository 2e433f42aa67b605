// The SQL of what is found out about reports: from their dumps, or from what they say.
import { sql } from 'kysely';
import { type Db, keepPlan, row, rows } from '../../../kernel/db.ts';
import { firstIdAt } from '../../../kernel/ids.ts';
import { GROUPING_VERSION, type Grouping, type Statement } from '../groups/grouping.ts';
import { attachReports, transactGroups } from '../groups/groups.sql.ts';
import type { Excerpt } from './excerpt.ts';

/** A report with a dump, as its processing wants it. */
export type DumpRow = {
  build_id: string;
  dump_key: string;
  dump_size: number;
  /** The report of the walk before; null when there was none. */
  stack_key: string | null;
} & StatementRow;

export type StatementRow = { report_id: string; message: string; app_version: string; os: string };

const statement = sql.raw('report_id, message, app_version, os');

export function statementOf({ message, app_version: appVersion, os }: StatementRow): Statement {
  return { message, appVersion, os };
}

/**
 * The report, if it has a dump; it is in processing from then on. One that was processed before stays so: what is known of it
 * holds until more is.
 */
export function beginProcessing(db: Db, gameId: string, reportId: string): Promise<DumpRow | undefined> {
  return row(
    db,
    keepPlan(sql<DumpRow>`with begun as (
        update crash_reports set state = 'processing'
        where game_id = ${gameId} and report_id = ${reportId} and dump_key is not null and state in ('received', 'queued')
      )
      select build_id, dump_key, dump_size, stack_key, ${statement} from crash_reports
      where game_id = ${gameId} and report_id = ${reportId} and dump_key is not null`),
  );
}

/** Keeps what the walk found, and moves the report into its group. False when the report is gone. */
export function recordWalk(
  db: Db,
  gameId: string,
  reportId: string,
  { excerpt, grouping, stackKey, at }: { excerpt: Excerpt; grouping: Grouping; stackKey: string; at: Date },
): Promise<boolean> {
  const { crashAddress, frames, functions, missingSymbols } = excerpt;
  return transactGroups(db, (tx) =>
    attachReports(
      tx,
      gameId,
      [reportId],
      grouping,
      sql`state = 'processed', failure = null, processed_at = ${at}, stack_key = ${stackKey},
        crash_address = ${crashAddress}, frames = ${JSON.stringify(frames)}::jsonb, functions = ${functions}::text[],
        missing_symbols = ${missingSymbols}::text[]`,
    ),
  );
}

/** Keeps why a dump cannot be read, and groups its report by what it says; not where an earlier walk succeeded. */
export async function recordFailure(
  db: Db,
  gameId: string,
  reportId: string,
  { reason, grouping, at }: { reason: string; grouping: Grouping; at: Date },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const open = await row(
      tx,
      sql`select from crash_reports where game_id = ${gameId} and report_id = ${reportId} and stack_key is null for update`,
    );
    if (open === undefined) return;
    const changes = sql`state = 'failed', failure = ${reason}, processed_at = ${at}`;
    await attachReports(tx, gameId, [reportId], grouping, changes);
  });
}

/** Of these reports, those without a dump that wait to be grouped. */
export function listUngrouped(db: Db, gameId: string, reportIds: readonly string[]): Promise<StatementRow[]> {
  return rows(
    db,
    sql<StatementRow>`select ${statement} from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) and dump_key is null and group_id is null
      order by report_id`,
  );
}

/** Groups reports by what they say, unless they got a dump meanwhile. `failure` is why they have none, where it is not known yet. */
export async function recordMessages(
  db: Db,
  gameId: string,
  reportIds: readonly string[],
  { grouping, failure, at }: { grouping: Grouping; failure: string | null; at: Date },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const open = await rows(
      tx,
      sql<{ report_id: string }>`select report_id from crash_reports
        where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) and dump_key is null
        order by report_id for update`,
    );
    const ids = open.map(({ report_id }) => report_id);
    // A report whose dump may still come is in a group meanwhile, and goes on waiting.
    const isOver = sql`(state <> 'received' or ${failure}::text is not null)`;
    const changes = sql`state = case when ${isOver} then 'processed' else state end,
      failure = coalesce(failure, ${failure}), processed_at = case when ${isOver} then ${at}::timestamptz end`;
    await attachReports(tx, gameId, ids, grouping, changes);
  });
}

/** The newest reports before `before` of which the walk lacked the module’s symbols. */
export async function listLacking(
  db: Db,
  gameId: string,
  moduleName: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_reports
      where game_id = ${gameId} and missing_symbols <> '{}'
        and lower_all(missing_symbols) @> array[lower(${moduleName})]
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
  return found.map(({ report_id }) => report_id);
}

export type OutdatedRow = StatementRow & { stack_key: string | null };

/** The newest reports before `before` that older rules have grouped. */
export function listOutdated(
  db: Db,
  gameId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<OutdatedRow[]> {
  return rows(
    db,
    sql<OutdatedRow>`select stack_key, ${statement} from crash_reports
      where game_id = ${gameId} and grouping_version < ${GROUPING_VERSION}
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
}

/** Moves a report to the group where the rules put it now, unless its stack has become another meanwhile. */
export async function recordRegrouping(
  db: Db,
  gameId: string,
  { report_id: reportId, stack_key: stackKey }: OutdatedRow,
  grouping: Grouping,
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const same = await row(
      tx,
      sql`select from crash_reports where game_id = ${gameId} and report_id = ${reportId}
        and stack_key is not distinct from ${stackKey} for update`,
    );
    if (same !== undefined) await attachReports(tx, gameId, [reportId], grouping);
  });
}

/** How many of each game’s reports older rules have grouped; of one game where it is given. Games without any are left out. */
export function countOutdated(db: Db, gameId: string | null): Promise<{ game_id: string; count: number }[]> {
  return rows(
    db,
    sql<{ game_id: string; count: number }>`select game_id, count(*) as count from crash_reports
      where grouping_version < ${GROUPING_VERSION} and (${gameId}::uuid is null or game_id = ${gameId}::uuid)
      group by game_id order by game_id`,
  );
}

export type StrandedRow = StatementRow & { game_id: string };

/** The oldest unfinished reports that came before `before`, with or without a dump. */
export function listUnfinished(
  db: Db,
  { hasDump, before, limit }: { hasDump: boolean; before: Date; limit: number },
): Promise<StrandedRow[]> {
  return rows(
    db,
    sql<StrandedRow>`select game_id, ${statement} from crash_reports
      where state in ('received', 'queued', 'processing') and report_id < ${firstIdAt(before.getTime())}
        and (dump_key is not null) = ${hasDump}
      order by report_id limit ${limit}`,
  );
}

/** Reports that came in this span of time, by their ids, and still wait for their dump, in no group yet. */
export function listLate(
  db: Db,
  { from, before, after, limit }: { from: Date; before: Date; after: string | null; limit: number },
): Promise<StrandedRow[]> {
  return rows(
    db,
    sql<StrandedRow>`select game_id, ${statement} from crash_reports
      where state in ('received', 'queued', 'processing') and report_id >= ${firstIdAt(from.getTime())}
        and report_id < ${firstIdAt(before.getTime())} and report_id > ${after ?? firstIdAt(from.getTime())}
        and state = 'received' and dump_key is null and group_id is null
      order by report_id limit ${limit}`,
  );
}
