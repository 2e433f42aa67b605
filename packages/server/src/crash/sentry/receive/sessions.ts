// Hands over the sessions of an envelope. They are counted with what events say, which is of a later wing, so the caller
// passes the function that takes them.
import { buildIdOf } from '@chauffeur/sentry/release';
import { joinUpdates, type SessionUpdate, sessionOf } from '@chauffeur/sentry/sessions';
import type { Context } from '../../../context.ts';
import { deviceUidOf } from '../sentry.ts';
import { chooseBuild } from './choose-build.ts';
import { countSentry } from './counts.ts';
import type { Sender } from './sender.ts';

/** What is known of a session. */
type SentSession = {
  readonly sid: string;
  readonly buildId: string;
  readonly deviceUid: string | null;
  readonly startedAt: number | null;
  readonly isCrashed: boolean;
};

export type TakeSessions = (
  ctx: Context,
  of: { readonly gameId: string; readonly sessions: readonly SentSession[] },
) => Promise<{ readonly overLimit: number; readonly retryAfter: number }>;

/** An envelope is from one program, so further releases in it are made up. */
const MAX_RELEASES = 5;

/** Takes the values of session items. Returns the seconds that the client has to wait; 0 if all were taken. */
export async function receiveSessions(
  ctx: Context,
  sender: Sender,
  values: readonly unknown[],
  take: TakeSessions,
): Promise<number> {
  if (values.length === 0) return 0;
  const drop = (reason: string, quantity: number) =>
    countSentry(ctx, { ...sender, what: 'dropped', type: 'session', reason }, quantity);
  const updates = values.map(sessionOf).filter((update) => update !== null);
  drop('without_id', values.length - updates.length);
  const joined = [...Map.groupBy(updates, ({ sid }) => sid).values()].map((ofSession) => ofSession.reduce(joinUpdates));
  const buildIds = new Map<string, string>();
  const sessions: SentSession[] = [];
  for (const update of joined) {
    const release = JSON.stringify([update.release, update.dist, update.environment]);
    if (!buildIds.has(release)) {
      if (buildIds.size === MAX_RELEASES) continue;
      buildIds.set(release, await buildOf(ctx, sender.gameId, update));
    }
    sessions.push(sentOf(ctx, update, buildIds.get(release)!));
  }
  drop('too_many', joined.length - sessions.length);
  if (sessions.length === 0) return 0;
  const { overLimit, retryAfter } = await take(ctx, { gameId: sender.gameId, sessions });
  drop('over_limit', overLimit);
  return overLimit === 0 ? 0 : retryAfter;
}

/** Sessions say nothing about the system. */
async function buildOf(ctx: Context, gameId: string, { release, dist, environment }: SessionUpdate): Promise<string> {
  const buildIds = [release, dist].flatMap((text) => buildIdOf(text) ?? []);
  const facts = { release, dist, environment, os: '', arch: '', buildIds, debugIds: [] };
  return (await chooseBuild(ctx, gameId, facts)).buildId;
}

function sentOf(ctx: Context, { sid, did, startedAt, status }: SessionUpdate, buildId: string): SentSession {
  // An error that nothing caught is a crash, as in reports, also where the program survives it.
  const isCrashed = status === 'crashed' || status === 'unhandled';
  return { sid, buildId, deviceUid: deviceUidOf(ctx, did), startedAt, isCrashed };
}
