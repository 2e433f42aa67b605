// Writes a report that its client names by an id of its own once: a client that lost the answer sends it again, perhaps to another process.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/db.ts';
import { groupCommit } from '../../../kernel/group-commit.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { type Arrival, createReport, hashOfClientRef, type OpenedReport } from './create.ts';
import { findEarlier, lockNames, type NamedReport } from './once.sql.ts';
import { makeTokens } from './tokens.ts';

export type NamedArrival = Arrival & { reportId: string; clientRef: string };
type Outcome = { opened: OpenedReport } | { error: unknown };

/** After that, whatever comes under the id is another report. */
const REPEATED_WITHIN = DAY;
const BATCH = 100;
const MOST_WAITING = 5000;

/**
 * As `createReport`; but where the game’s build has a report of the same client’s id from the last 24 hours, answers as that one was
 * answered, and `reportId` is not this one’s: the files of this one are nobody’s then.
 */
export async function createOnce(ctx: Context, arrival: NamedArrival): Promise<OpenedReport> {
  const outcome = await guardOf(ctx)(arrival);
  if ('error' in outcome) throw outcome.error;
  return outcome.opened;
}

/** One batch at a time: it holds one connection while its reports are written through others. */
const guardOf = perContext((ctx) =>
  groupCommit<NamedArrival, Outcome>({
    most: BATCH,
    writers: 1,
    mostWaiting: MOST_WAITING,
    isAboutItems: () => false,
    write: (arrivals) => writeOnce(ctx, arrivals),
  }),
);

/**
 * The reports are looked up and written by transactions of their own, within the time for which this one locks their names: so of two that
 * come at once the later one finds the earlier, wherever each is received. This one must not touch a table: a partition that is to be made
 * for the reports would wait for its end, which waits for the reports.
 */
function writeOnce(ctx: Context, arrivals: readonly NamedArrival[]): Promise<Outcome[]> {
  const named = arrivals.map(({ gameId, buildId, clientRef }) => ({
    gameId,
    buildId,
    hash: hashOfClientRef(clientRef),
  }));
  const since = new Date(ctx.clock.now().getTime() - REPEATED_WITHIN);
  return transact(ctx.db, async (tx) => {
    await lockNames(tx, named.map(nameOf));
    const earlier = await findEarlier(ctx.db, named, since);
    const first = new Map(earlier.map((report) => [nameOf(report), Promise.resolve(reopened(ctx, report))]));
    const outcomes = arrivals.map((arrival, index) => {
      const name = nameOf(named[index]!);
      const outcome = first.get(name) ?? outcomeOf(createReport(ctx, arrival));
      first.set(name, outcome);
      return outcome;
    });
    return Promise.all(outcomes);
  });
}

function nameOf({ gameId, buildId, hash }: NamedReport): string {
  return `${gameId}/${buildId}/${hash}`;
}

/** Reports that come whole have no upload addresses, and the token of a report is always the same. */
function reopened(ctx: Context, { gameId, reportId }: { gameId: string; reportId: string }): Outcome {
  ctx.log.info({ game: gameId, report: reportId }, 'a crash report came again');
  return { opened: { reportId, readToken: makeTokens(ctx, { gameId, reportId }).read, uploads: {}, filesKept: false } };
}

function outcomeOf(writing: Promise<OpenedReport>): Promise<Outcome> {
  return writing.then(
    (opened) => ({ opened }),
    (error: unknown) => ({ error }),
  );
}
