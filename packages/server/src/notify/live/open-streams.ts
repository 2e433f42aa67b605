// The open streams of this process: their limits, the heartbeats that keep them open through proxies, and the check
// whether their readers still have access.
import { errors } from '@chauffeur/contract/errors';
import { meetsRequirement } from '@chauffeur/contract/required-sign-in';
import type { AccountCaller, Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { listLiveSessions } from '../../people/accounts/accounts.ts';
import { listMemberships } from '../../people/game-access/game-access.sql.ts';
import { perContext } from '../../request/per-context.ts';

/** An address has the limit of this many accounts, because the people in an office share one. */
const ACCOUNTS_OF_ADDRESS = 25;
const MAX_OF_PROCESS = 20_000;
const RETRY_SECONDS = 30;
/** Proxies close a connection after a minute of silence, or later. */
const BEAT_MS = 20 * SECOND;

export type Stream = {
  readonly caller: AccountCaller;
  readonly gameId: string;
  readonly sessionToken: string;
  readonly address: string;
  readonly send: (text: string) => void;
  readonly end: () => void;
};

type State = {
  readonly streams: Set<Stream>;
  readonly counts: Map<string, number>;
  timer?: NodeJS.Timeout | undefined;
};

const stateOf = perContext((): State => ({ streams: new Set(), counts: new Map() }));

/** Adds a stream until the returned function is called. Throws `limitReached` beyond the limits. */
export function openStream(ctx: Context, stream: Stream): () => void {
  const state = stateOf(ctx);
  const keys = [`account ${stream.caller.user.id}`, `address ${stream.address}`];
  const used = keys.map((key) => state.counts.get(key) ?? 0);
  const max = ctx.config.limitStreams;
  const isBelowLimit = max === 0 || (used[0]! < max && used[1]! < max * ACCOUNTS_OF_ADDRESS);
  const isAllowed = isBelowLimit && state.streams.size < MAX_OF_PROCESS;
  if (!countLimit(ctx.metrics, 'open_streams', isAllowed))
    throw errors.limitReached('Too many pages are following changes at the same time.', {
      data: { retry_after: RETRY_SECONDS },
    });
  state.streams.add(stream);
  for (const key of keys) state.counts.set(key, (state.counts.get(key) ?? 0) + 1);
  if (state.timer === undefined) {
    state.timer = setInterval(() => void beat(ctx), BEAT_MS);
    state.timer.unref();
  }
  return () => {
    if (!state.streams.delete(stream)) return;
    for (const key of keys) release(state.counts, key);
    if (state.streams.size > 0) return;
    clearInterval(state.timer);
    state.timer = undefined;
  };
}

function release(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}

/** Ends all streams when the process stops. Their pages connect to another process. */
export function endStreams(ctx: Context): void {
  const { streams, timer } = stateOf(ctx);
  clearInterval(timer);
  for (const { end } of [...streams]) end();
}

/**
 * Ends the streams of people who have signed out, lost their role or must sign in with another method, and sends a
 * heartbeat to the others.
 */
export async function beat(ctx: Context): Promise<void> {
  const streams = [...stateOf(ctx).streams];
  const allowed = await findAllowed(ctx, streams).catch((err) => {
    ctx.log.warn({ err }, 'could not check who may follow changes');
    // Without the database, nothing changes that a stream could show.
    return new Set(streams);
  });
  for (const stream of streams) {
    if (allowed.has(stream)) stream.send(': beat\n\n');
    else stream.end();
  }
}

/** Takes two queries, whatever the number of streams. */
async function findAllowed(ctx: Context, streams: readonly Stream[]): Promise<ReadonlySet<Stream>> {
  const [sessions, members] = await Promise.all([
    listLiveSessions(ctx, [...new Set(streams.map(({ sessionToken }) => sessionToken))]),
    listMemberships(
      ctx.db,
      streams.map(({ gameId, caller }) => ({ gameId, userId: caller.user.id })),
    ),
  ]);
  return new Set(
    streams.filter(({ sessionToken, gameId, caller }) => {
      const member = members.get(`${gameId} ${caller.user.id}`);
      if (member === undefined || !sessions.has(sessionToken)) return false;
      const { required_sign_in: required, has_second_factor: hasSecondFactor } = member;
      return meetsRequirement(required, { method: caller.signInMethod, hasSecondFactor });
    }),
  );
}
