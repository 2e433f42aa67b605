// Breadcrumbs of a crash report: the last events of its session. Events have no index, so they are read in short
// periods, back from the arrival of the report.

import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/events';
import { sql } from 'kysely';
import { sessionOfReport } from '../../../crash/crashes/crashes.ts';
import { DAY, MINUTE } from '../../../kernel/clock.ts';
import { type Db, isCancelled, rows, transact } from '../../../kernel/database/db.ts';
import { listPartitions } from '../../../kernel/database/partitions.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { onReplica } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { eventPartitionOf } from '../keep/event-partitions.job.ts';
import type { Properties } from '../receive/event.ts';

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
  return onReplica(ctx, { caller, gameId }, async ({ db }) => {
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

/** Reads one period more after finding the start of the session, because events can arrive in another order. */
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
  return (await listPartitions(db, 'events')).includes(eventPartitionOf(time).name);
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

type TimedEvent = SessionEventRow & { readonly secondsBefore: number };

/**
 * Takes the events newest first, and returns them oldest first with their times before `end`. The clock of a device can
 * be wrong by any time. No event arrives before it happens, so the clock is assumed to be behind by the shortest time
 * from an event to its arrival.
 */
function timeEvents(events: readonly SessionEventRow[], end: Date): TimedEvent[] {
  const delays = events.flatMap(({ client_time: sent, received_at }) =>
    sent === null ? [] : [received_at.getTime() - sent.getTime()],
  );
  const behind = Math.min(...delays);
  return events
    .toReversed()
    .map((event) => {
      const at = event.client_time === null ? event.received_at.getTime() : event.client_time.getTime() + behind;
      return { ...event, secondsBefore: (end.getTime() - at) / 1000 };
    })
    .sort((a, b) => b.secondsBefore - a.secondsBefore || a.received_at.getTime() - b.received_at.getTime());
}

type SessionRef = { gameId: string; deviceUid: string | null; sessionId: string };

type SessionEventRow = {
  name: string;
  received_at: Date;
  client_time: Date | null;
  properties: Properties | null;
};

/** A period that includes its start and excludes its end. */
type TimeSpan = { from: Date; to: Date };

/**
 * The last events of a session that arrived in this time, newest first. The statement is cancelled after `maxMs`. The
 * times of events that arrive together differ by microseconds, which a Date does not have.
 */
function readSessionEvents(
  db: Db,
  { gameId, deviceUid, sessionId }: SessionRef,
  { from, to }: TimeSpan,
  { limit, maxMs }: { limit: number; maxMs: number },
): Promise<SessionEventRow[]> {
  return transact(db, async (tx) => {
    await rows(tx, sql`select set_config('statement_timeout', ${String(maxMs)}, true)`);
    return rows(
      tx,
      sql<SessionEventRow>`select name, received_at, client_time, properties from events
        where game_id = ${gameId} and session_id = ${sessionId} and device_uid is not distinct from ${deviceUid}
          and received_at >= ${from} and received_at < ${to}
        order by coalesce(client_time, received_at) desc, received_at desc limit ${limit}`,
    );
  });
}
