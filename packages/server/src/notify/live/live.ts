// Streams the changes of a game to an open page, as server-sent events.
import { PassThrough } from 'node:stream';
import * as contract from '@chauffeur/contract/operations/live';
import { CHANGE_TOPICS, type ChangeEvent } from '@chauffeur/contract/operations/live';
import { SECOND } from '../../kernel/clock.ts';
import { storedTokenOf } from '../../people/accounts/accounts.ts';
import { requireMember } from '../../people/games/games.ts';
import { watchChanges } from '../../request/game-changes.ts';
import { cookieName } from '../../request/origins.ts';
import { stream } from '../../request/route.ts';
import { openStream } from './open-streams.ts';
import { sessionTokenOf } from './session-token.ts';
import { writeOrDrop } from './write-or-drop.ts';

/** Each page connects again after a different while, so that not all do at once after a restart. */
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
  // A page knows from the event that no proxy holds the stream back.
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
