// The newest dumps that this process received, in memory, so that they needn't be read and decompressed to be walked,
// and the rows of their reports.
import type { Context } from '../../../context.ts';
import { type FileInSpace, giveBackSpace } from '../../../kernel/blobs/spaces.ts';
import { perContext } from '../../../request/per-context.ts';
import type { DumpRow } from './rows.sql.ts';

const MAX_DUMPS = 8;
/** The number of dumps that a process may hold. */
const MAX_ROWS = 128;

/** By the keys of their blobs, the oldest first. */
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

/** By the ids of the reports, the oldest first. */
const rowsOf = perContext(() => new Map<string, DumpRow>());

/** Keeps the row of a report that this process is about to process. */
export function keepRow(ctx: Context, row: DumpRow): void {
  const rows = rowsOf(ctx);
  rows.set(row.report_id, row);
  for (const oldest of rows.keys()) {
    if (rows.size <= MAX_ROWS) break;
    rows.delete(oldest);
  }
}

/** Undefined if the row isn't in memory, and must be read. */
export function takeRow(ctx: Context, reportId: string): DumpRow | undefined {
  const rows = rowsOf(ctx);
  const row = rows.get(reportId);
  rows.delete(reportId);
  return row;
}
