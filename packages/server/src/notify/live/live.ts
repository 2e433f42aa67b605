// Streams the changes of a game to an open page, as server-sent events.

import { type Duplex, PassThrough } from 'node:stream';
import * as contract from '@chauffeur/contract/operations/live';
import { CHANGE_TOPICS, type ChangeEvent } from '@chauffeur/contract/operations/live';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { storedTokenOf } from '../../people/accounts/accounts.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { forgetChanges } from '../../request/game-changes.sql.ts';
import { watchChanges } from '../../request/game-changes.ts';
import { cookieName } from '../../request/origins.ts';
import { stream } from '../../request/route.ts';
import { openStream } from './open-streams.ts';

/** Each page connects again after another delay, so that not all do so at once after a restart. */
const MIN_RETRY_MS = 1000;
const RETRY_SPREAD_MS = 4000;

/** `GET /games/{uid}/changes`. Throws `notFound`, and `limitReached` with too many open streams. */
export const watchGame = stream(contract.watchGame, async (ctx, { caller, input, request, reply }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
  if (request.method === 'HEAD') return reply.send('');
  const stream = new PassThrough({ highWaterMark: 1024 });
  const send = (text: string) => writeOrDrop(stream, text);
  const forget = openStream(ctx, {
    caller,
    gameId: game.game_id,
    sessionToken: storedTokenOf(
      sessionTokenOf(request.headers.cookie ?? '', cookieName(ctx.publicUrl, 'session_token')),
    ),
    address: request.ip,
    send,
    end: () => stream.end(),
  });
  // The event shows the page that no proxy holds the stream back.
  send(`retry: ${Math.round(MIN_RETRY_MS + Math.random() * RETRY_SPREAD_MS)}\nevent: ready\ndata: {}\n\n`);
  const unwatch = watchChanges(ctx, game.game_id, {
    topics: new Set(CHANGE_TOPICS),
    onChange: (topics) =>
      send(`event: change\ndata: ${JSON.stringify({ topics: [...topics] } satisfies ChangeEvent)}\n\n`),
  });
  const timer = setTimeout(() => stream.end(), input.seconds * SECOND);
  timer.unref();
  const close = () => {
    clearTimeout(timer);
    unwatch();
    forget();
  };
  stream.once('close', close);
  // If the reader leaves, the response is closed, and not always the stream.
  reply.raw.once('close', () => stream.destroy());
  return reply.send(stream);
});

export const dropChangesJob = defineJob('live:drop-changes', { attempts: 3, cron: '23 * * * *' }, dropChanges);

export function dropChanges({ db }: Context): Promise<void> {
  return forgetChanges(db);
}

/**
 * The token of the session in the cookies of a request, which was checked before. Empty without a session. Cookies of
 * earlier versions have a signature after the token, behind a dot.
 */
export function sessionTokenOf(cookies: string, name: string): string {
  const start = `${name}=`;
  const cookie = cookies.split('; ').find((each) => each.startsWith(start)) ?? start;
  const value = cookie.slice(start.length);
  // The signature may have characters that are escaped, unlike the token.
  return value.split(/\.|%2E/i)[0] ?? '';
}

/** How far behind a reader may be. A reader that is further behind is dropped, and connects again when it can. */
const MAX_BEHIND_BYTES = 16 * 1024;

export function writeOrDrop(stream: Duplex, text: string): void {
  if (stream.destroyed || stream.writableEnded) return;
  if (stream.writableLength + stream.readableLength > MAX_BEHIND_BYTES) stream.destroy();
  else stream.write(text);
}
