// Takes sessions of Sentry's SDKs, and counts them by build and day. The sessions of all requests are written in batches
// (ADR 0011). They say nothing about whether the game reached its menu, so launch health isn't computed from them.
import type { Context } from '../../context.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { type Db, retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { batchWriter } from '../../request/batch-writer.ts';
import { type Change, dayOfSession, joinSessions, type Session } from './count-changes.ts';
import * as sql from './sessions.sql.ts';

type SentSession = {
  readonly sid: string;
  readonly buildId: string;
  /** An id that may be stored; null if the client doesn't say who played. */
  readonly deviceUid: string | null;
  /** When it started by the clock of the client, in milliseconds. */
  readonly startedAt: number | null;
  readonly isCrashed: boolean;
};

type GameSessions = { readonly gameId: string; readonly sessions: readonly SentSession[] };

/** How many sessions are past the daily limit of the game, and the seconds until it ends. */
export type Taken = { readonly overLimit: number; readonly retryAfter: number };

/** Writes sessions durably. Throws `unavailable` if too many are waiting. */
export const takeSessions = batchWriter<GameSessions, Taken>({
  queue: 'sdk_sessions',
  maxBatch: 1000,
  // They would wait for the lock of the same game.
  writers: 1,
  maxWaiting: 20_000,
  weigh: ({ sessions }) => Math.max(1, sessions.length),
  write: writeBatch,
});

async function writeBatch(ctx: Context, requests: readonly GameSessions[]): Promise<Taken[]> {
  const now = ctx.clock.now();
  const byGame = Map.groupBy(requests, ({ gameId }) => gameId);
  const refused = await retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const refused = new Map<string, ReadonlySet<string>>();
      for (const gameId of await sql.lockGames(tx, [...byGame.keys()])) {
        const sessions = byGame.get(gameId)!.flatMap((request) => request.sessions);
        refused.set(gameId, await writeGame(ctx, tx, { gameId, sessions }, now));
      }
      return refused;
    }),
  );
  const retryAfter = Math.max(1, Math.ceil((DAY - (now.getTime() % DAY)) / SECOND));
  return requests.map(({ gameId, sessions }) => {
    const ofGame = refused.get(gameId);
    const overLimit = sessions.filter(({ sid }) => ofGame?.has(sid)).length;
    if (sessions.length > 0) countLimit(ctx.metrics, 'sdk_sessions', overLimit === 0);
    return { overLimit, retryAfter };
  });
}

/** Returns the ids of sessions that are past the limit. Sessions that are known are always updated. */
async function writeGame(
  { config }: Context,
  tx: Tx,
  { gameId, sessions }: GameSessions,
  now: Date,
): Promise<ReadonlySet<string>> {
  const sent = new Map<string, Session>();
  for (const { startedAt, ...session } of sessions) {
    const next = { ...session, day: dayOfSession(startedAt, now.getTime()) };
    const earlier = sent.get(session.sid);
    sent.set(session.sid, earlier === undefined ? next : joinSessions(earlier, next));
  }
  const stored = new Map((await sql.findSessions(tx, gameId, [...sent.keys()])).map((found) => [found.sid, found]));
  const isNew = ({ sid }: Session) => !stored.has(sid);
  const added = [...sent.values()].filter(isNew);
  const day = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const max = config.limitSdkSessions;
  const granted = await sql.countNew(tx, gameId, { count: added.length, max, day });
  const changes = [
    ...added.slice(0, granted).map((after): Change => ({ before: null, after })),
    ...[...sent.values()].flatMap((session) => updateOf(stored.get(session.sid), session)),
  ];
  await sql.writeChanges(tx, gameId, changes);
  return new Set(added.slice(granted).map(({ sid }) => sid));
}

/** Nothing for a session that is new, or that the update doesn't change. */
function updateOf(before: Session | undefined, sent: Session): Change[] {
  if (before === undefined) return [];
  const after = joinSessions(before, sent);
  const isSame =
    after.deviceUid === before.deviceUid && after.day === before.day && after.isCrashed === before.isCrashed;
  return isSame ? [] : [{ before, after }];
}

export const { readSessionsOfDevice } = sql;

const FORGOTTEN_AT_ONCE = 1000;

/** Removes the device from all sessions and from the counts of devices. */
export async function forgetDeviceSessions(db: Db, gameId: string, deviceUid: string): Promise<void> {
  for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE; )
    forgotten = await transact(db, async (tx) => {
      if ((await sql.lockGames(tx, [gameId])).length === 0) return 0;
      const sessions = await sql.listSessionsOfDevice(tx, gameId, deviceUid, FORGOTTEN_AT_ONCE);
      await sql.writeChanges(
        tx,
        gameId,
        sessions.map((before) => ({ before, after: { ...before, deviceUid: null } })),
      );
      if (sessions.length < FORGOTTEN_AT_ONCE) await sql.deleteDevice(tx, gameId, deviceUid);
      return sessions.length;
    });
}
