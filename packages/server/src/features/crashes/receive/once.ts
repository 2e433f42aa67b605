// Writes a report with a client's own id only once: a client that missed the response sends its report again, perhaps
// to another process.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/database/db.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import { createReport, hashOfClientRef, type IncomingReport, type OpenedReport } from './create.ts';
import { findEarlier, lockNames, type NamedReport } from './once.sql.ts';
import { makeTokens } from './tokens.ts';

export type NamedIncomingReport = IncomingReport & { reportId: string; clientRef: string };

/** A report that arrives later under the same id is a new report. */
const REPEATED_WITHIN = DAY;

/**
 * Like `createReport`, unless the build has a report with the same client's id from the last 24 hours. Then returns
 * that report under its own `reportId`, and the files of the new report are unused.
 */
export const createOnce = batchWriter<NamedIncomingReport, OpenedReport>({
  queue: 'crash_reports_with_id',
  maxBatch: 100,
  // Each batch holds a connection while its reports are written through others.
  writers: 1,
  maxWaiting: 5000,
  write: writeOnce,
});

/**
 * Locks the names of the reports while other transactions look them up and write them. So the later of two identical
 * reports finds the earlier one, even if another process receives it. This transaction must not access a table:
 * creating a partition for the reports would wait for this transaction to end, and this transaction waits for the
 * reports.
 */
function writeOnce(ctx: Context, incoming: readonly NamedIncomingReport[]): Promise<(OpenedReport | Error)[]> {
  const named = incoming.map(({ gameId, buildId, clientRef }) => ({
    gameId,
    buildId,
    hash: hashOfClientRef(clientRef),
  }));
  const since = new Date(ctx.clock.now().getTime() - REPEATED_WITHIN);
  return transact(ctx.db, async (tx) => {
    await lockNames(tx, named.map(nameOf));
    const earlier = await findEarlier(ctx.db, named, since);
    const results = new Map<string, Promise<OpenedReport | Error>>(
      earlier.map((report) => [nameOf(report), Promise.resolve(reopen(ctx, report))]),
    );
    return Promise.all(
      incoming.map((report, index) => {
        const name = nameOf(named[index]!);
        const result = results.get(name) ?? createReport(ctx, report).catch((error: Error) => error);
        results.set(name, result);
        return result;
      }),
    );
  });
}

function nameOf({ gameId, buildId, hash }: NamedReport): string {
  return `${gameId}/${buildId}/${hash}`;
}

/** Such reports arrive complete, without upload addresses, and the tokens of a report are always the same. */
function reopen(ctx: Context, { gameId, reportId }: { gameId: string; reportId: string }): OpenedReport {
  ctx.log.info({ game: gameId, report: reportId }, 'a crash report was sent again');
  return { reportId, readToken: makeTokens(ctx, { gameId, reportId }).read, uploads: {}, filesKept: false };
}
