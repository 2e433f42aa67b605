// The jobs that a new report starts, and what they read of it: its row, or what this process still has in memory.
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type FileInSpace, giveBackSpace } from '../../../kernel/blobs/spaces.ts';
import { changed, type Db } from '../../../kernel/database/db.ts';
import { defineJob, jobForEachRow } from '../../../kernel/jobs/jobs.ts';
import { perContext } from '../../../request/per-context.ts';
import type { DebugIds } from './debug-ids.ts';
import type { EventContent } from './event.ts';
import type { Attachment } from './files.ts';

/**
 * Processes a report whose dump is complete, or whose event has a native stack. With e^n seconds between its 12 tries, the job survives a storage outage
 * of about a day.
 */
export const processCrashJob = defineJob<{ gameId: string; reportId: string }>('crashes:process', {
  attempts: 12,
  changes: 'crashes',
});

/** Groups reports without a dump. A report whose dump arrives later moves to another group. */
export const groupMessagesJob = defineJob<{ gameId: string; reportIds: readonly string[] }>('crashes:group', {
  attempts: 6,
  changes: 'crashes',
});

/** Reads the log of a report without a dump if it arrived after the report. */
export const readLogJob = defineJob<{ gameId: string; reportId: string }>('crashes:read-log', { attempts: 6 });

/** Makes previews of the images among a report's attachments. */
export const previewJob = defineJob<{ gameId: string; reportId: string }>('crashes:preview', {
  attempts: 6,
  lane: 'long',
});

/**
 * The priority is higher than the default of 0, so these jobs run after everything that players and developers wait
 * for.
 */
const AFTER_OTHERS = 10;

/**
 * Enqueues these reports to be processed again. The symbols of a build arrive file by file, so a report that is already
 * queued is not queued twice.
 */
export async function enqueueProcessing(
  db: Db,
  gameId: string,
  reportIds: readonly string[],
  priority = AFTER_OTHERS,
): Promise<void> {
  const job = jobForEachRow(
    processCrashJob,
    { gameId: sql`${gameId}::text`, reportId: sql`report_id` },
    { key: sql`${`${processCrashJob.task}/again/`} || report_id`, priority },
  );
  await changed(db, sql`select ${job} from unnest(${reportIds}::uuid[]) as report (report_id)`);
}

/** What grouping a report by its message, and counting it, need. */
export type GroupingRow = {
  report_id: string;
  build_id: string;
  message: string;
  app_version: string;
  os: string;
  /** Its facets are read, and a stack may be in its values. */
  metadata: Readonly<Record<string, unknown>>;
  debug_ids: DebugIds;
  /** The blob of the log; null if the report has none, or it has not arrived. */
  log_key: string | null;
  /** Uncompressed, in bytes. */
  log_size: number | null;
  attachments: readonly Attachment[];
  kind: ReportKind;
  /** What the game says that the report belongs to; null if it doesn't. */
  fingerprint: readonly string[] | null;
} & EventContent;

/** A row of a query over the reports of all games. */
export type GameGroupingRow = GroupingRow & { game_id: string };

/** What looking up the stack of a report needs: it has a dump, an event, or both. */
export type StackRow = {
  dump_key: string | null;
  dump_size: number | null;
  /** The blob of the previous walk; null if there was none. */
  stack_key: string | null;
} & GroupingRow;

/** The columns of a GroupingRow. */
export const groupingColumns = sql.raw(
  'report_id, build_id, message, app_version, os, metadata, debug_ids, log_key, log_size, attachments, event_key, event, kind, fingerprint',
);

/** The columns of a StackRow. */
export const stackColumns = sql`dump_key, dump_size, stack_key, ${groupingColumns}`;

const MAX_DUMPS = 8;
/** The number of reports that a process may hold. */
const MAX_ROWS = 128;

/** The dumps by the keys of their blobs, the oldest first. */
const dumpsOf = perContext(() => new Map<string, FileInSpace>());

/** Keeps a dump until it is taken, or until there are too many newer ones. */
export function keepDump(ctx: Context, key: string, dump: FileInSpace): void {
  const dumps = dumpsOf(ctx);
  dumps.set(key, dump);
  for (const oldest of dumps.keys()) {
    if (dumps.size <= MAX_DUMPS) break;
    giveBackSpace(takeDump(ctx, oldest)!.space);
  }
}

/** The caller gives the space back. Undefined if the dump isn't in memory. */
export function takeDump(ctx: Context, key: string): FileInSpace | undefined {
  const dumps = dumpsOf(ctx);
  const dump = dumps.get(key);
  dumps.delete(key);
  return dump;
}

/** The rows by the ids of the reports, the oldest first. */
const rowsOf = perContext(() => new Map<string, StackRow>());

/** Keeps the row of a report that this process is about to process. */
export function keepRow(ctx: Context, row: StackRow): void {
  const rows = rowsOf(ctx);
  rows.set(row.report_id, row);
  for (const oldest of rows.keys()) {
    if (rows.size <= MAX_ROWS) break;
    rows.delete(oldest);
  }
}

/** Returns undefined if the row isn't in memory, and must be read. */
export function takeRow(ctx: Context, reportId: string): StackRow | undefined {
  const rows = rowsOf(ctx);
  const row = rows.get(reportId);
  rows.delete(reportId);
  return row;
}

/** States of reports whose processing has not ended. In this form the planner recognizes the partial index on them. */
export const isUnfinished = sql.raw("state in ('received', 'queued', 'processing')");
