// Writes a report with a client's own id only once: a client that missed the response sends its report again, perhaps
// to another process.
import type { Context } from '../../../context.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import {
  createReport,
  hashOfClientRef,
  type IncomingReport,
  type OpenedReport,
  REPEATED_WITHIN,
  RepeatedError,
} from './create.ts';
import { findEarlier, freeName, type NamedReport } from './once.sql.ts';
import { makeTokens } from './tokens.ts';

export type NamedIncomingReport = IncomingReport & { reportId: string; clientRef: string };

/**
 * Like `createReport`, unless the build has a report with the same client's id from the last 24 hours. Then returns
 * that report under its own `reportId`, and the files of the new report are unused.
 */
export const createOnce = batchWriter<NamedIncomingReport, OpenedReport>({
  queue: 'crash_reports_with_id',
  maxBatch: 100,
  // A statement must not write two reports with the same id.
  writers: 1,
  maxWaiting: 5000,
  write: writeOnce,
});

/** Most reports are new: a repetition that nothing was found of is noticed when it is written. */
async function writeOnce(ctx: Context, incoming: readonly NamedIncomingReport[]): Promise<(OpenedReport | Error)[]> {
  const named = incoming.map(({ gameId, buildId, clientRef }) => ({
    gameId,
    buildId,
    hash: hashOfClientRef(clientRef),
  }));
  const earlier = await findReports(ctx, named);
  const results = new Map<string, Promise<OpenedReport | Error>>(
    earlier.map((report) => [nameOf(report), Promise.resolve(reopen(ctx, report))]),
  );
  return Promise.all(
    incoming.map((report, index) => {
      const name = nameOf(named[index]!);
      const result = results.get(name) ?? write(ctx, report, named[index]!);
      results.set(name, result);
      return result;
    }),
  );
}

/** Writes the report again if the report that it repeats was deleted. */
async function write(ctx: Context, report: NamedIncomingReport, named: NamedReport): Promise<OpenedReport | Error> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await createReport(ctx, report);
    } catch (error) {
      if (!(error instanceof RepeatedError) || tries === MAX_TRIES) return error as Error;
      const [earlier] = await findReports(ctx, [named]);
      if (earlier !== undefined) return reopen(ctx, earlier);
      await freeName(ctx.db, named);
    }
  }
}

const MAX_TRIES = 3;

function findReports(ctx: Context, named: readonly NamedReport[]) {
  return findEarlier(ctx.db, named, new Date(ctx.clock.now().getTime() - REPEATED_WITHIN));
}

function nameOf({ gameId, buildId, hash }: NamedReport): string {
  return `${gameId}/${buildId}/${hash}`;
}

/** Such reports arrive complete, without upload addresses, and the tokens of a report are always the same. */
function reopen(ctx: Context, { gameId, reportId }: { gameId: string; reportId: string }): OpenedReport {
  ctx.log.info({ game: gameId, report: reportId }, 'a crash report was sent again');
  return { reportId, readToken: makeTokens(ctx, { gameId, reportId }).read, uploads: {}, filesKept: false };
}
