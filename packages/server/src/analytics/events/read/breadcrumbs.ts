// Breadcrumbs of a crash report: the last events of its session. Events have no index, so they are read in short periods,
// back from the arrival of the report.
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/breadcrumbs';
import { sessionOfReport } from '../../../crash/crashes/crashes.ts';
import { DAY, MINUTE } from '../../../kernel/clock.ts';
import { type Db, isCancelled } from '../../../kernel/database/db.ts';
import { listPartitions } from '../../../kernel/database/partitions.ts';
import { requireMember } from '../../../people/games/games.ts';
import { readReplica } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { partitionOf } from '../partitions.ts';
import { readSessionEvents, type SessionEventRow, type SessionRef } from './breadcrumbs.sql.ts';
import { type TimedEvent, timeEvents } from './session-clock.ts';

type Read = { events: SessionEventRow[]; isComplete: boolean };

const MAX_READ_MS = 2000;
/** A session takes at most a day. Most take less than an hour, and then the start of the session is found earlier. */
const PERIODS_BACK = [0, 15 * MINUTE, 60 * MINUTE, 240 * MINUTE, DAY];

export const getBreadcrumbs = handle(contract.getBreadcrumbs, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const gameId = game.game_id;
  const report = await sessionOfReport(ctx, gameId, input.crash_id);
  const { session_id: sessionId, device_uid: deviceUid, received_at: end } = report;
  if (sessionId === null) return { events: [], is_complete: true, problem: 'no_session' as const };
  return readReplica(ctx, { caller, gameId }, async ({ db }) => {
    const { events, isComplete } = await readBack(db, { gameId, deviceUid, sessionId }, end);
    const isKnown = events.length > 0 || !isComplete;
    const problem = isKnown ? null : (await hasEventsOf(db, end)) ? ('not_received' as const) : ('expired' as const);
    return {
      events: timeEvents(events, end).slice(-LIMITS.breadcrumbs).map(breadcrumbOf),
      is_complete: isComplete,
      problem,
    };
  });
});

/** One period more is read after the start of the session, because events can arrive in another order. */
async function readBack(db: Db, session: SessionRef, end: Date): Promise<Read> {
  const deadline = performance.now() + MAX_READ_MS;
  const events: SessionEventRow[] = [];
  const timeBack = (index: number) => new Date(end.getTime() - PERIODS_BACK[index]!);
  for (let index = 1, hasStart = false; index < PERIODS_BACK.length && !hasStart; index += 1) {
    hasStart = events.some(({ name }) => name === 'session_start');
    const maxMs = Math.ceil(deadline - performance.now());
    if (maxMs <= 0) return { events, isComplete: false };
    try {
      const period = { from: timeBack(index), to: timeBack(index - 1) };
      events.push(...(await readSessionEvents(db, session, period, { limit: LIMITS.breadcrumbs, maxMs })));
    } catch (error) {
      if (!isCancelled(error)) throw error;
      return { events, isComplete: false };
    }
    if (events.length >= LIMITS.breadcrumbs) break;
  }
  return { events, isComplete: true };
}

/** Whether events of this day are still stored. */
async function hasEventsOf(db: Db, time: Date): Promise<boolean> {
  return (await listPartitions(db, 'events')).includes(partitionOf(time).name);
}

function breadcrumbOf({ name, received_at, client_time, properties, secondsBefore }: TimedEvent) {
  return {
    event: name,
    received_at: received_at.toISOString(),
    timestamp: client_time?.toISOString() ?? null,
    seconds_before: secondsBefore,
    properties: properties ?? {},
  };
}
