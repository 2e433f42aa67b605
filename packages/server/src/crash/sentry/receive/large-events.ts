// Reads events of several MB in a thread, one after the other: anyone can send many of them, and each takes a tenth of a
// second and a multiple of its bytes. Only a few of them are in memory, and the others are queued without being read.
import { errors } from '@chauffeur/contract/errors';
import type { LargeEvents } from '@chauffeur/sentry/envelope/collect';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import type { Context } from '../../../context.ts';
import { MINUTE, SECOND } from '../../../kernel/clock.ts';
import { createPlaces } from '../../../kernel/collections/places.ts';
import { createThreadPool } from '../../../kernel/threads/thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import { perContext } from '../../../request/per-context.ts';

/** `json` is the payload of an item, and `store` the body of a request to `/store/`. */
export type LargeEvent = { readonly form: 'json' | 'store'; readonly bytes: Uint8Array };

const THREAD = new URL('./read-event.thread.ts', import.meta.url);
const MAX_TIME = 30 * SECOND;
/** A hundred bytes for each value of the largest event, and room for what isn't collected yet. */
const HEAP_MB = 96;
const IDLE_MS = 10 * SECOND;
/** An event of 8 MB takes a minute at 1 Mbit/s. Senders of single bytes must not keep the places from others. */
const MAX_ARRIVAL_MS = 2 * MINUTE;

const poolOf = perContext(() =>
  createThreadPool<LargeEvent, SentryEvent | null, never, never>(THREAD, {
    size: 1,
    timeoutMs: MAX_TIME,
    maxHeapMb: HEAP_MB,
    idleMs: IDLE_MS,
  }),
);

/** Those of one address, which may send slowly, are not all that there are. */
const placesOf = perContext(() => createPlaces({ all: 8, ofOne: 2, waitMs: MAX_TIME }));

/** `ip` is empty for a request that was deferred. Entering throws `unavailable` if the wait is too long. */
export function largeEvents(ctx: Context, ip: string, form: LargeEvent['form'] = 'json'): LargeEvents<SentryEvent> {
  return {
    enter: async () => {
      const leave = await placesOf(ctx).enter(ip);
      if (leave === null) throw errors.unavailable();
      return leave;
    },
    maxArrivalMs: MAX_ARRIVAL_MS,
    read: (bytes) => read(ctx, { form, bytes }),
  };
}

async function read(ctx: Context, event: LargeEvent): Promise<SentryEvent | null> {
  try {
    return await poolOf(ctx).run(event, () => Promise.reject(new Error('nothing was to be asked')));
  } catch (err) {
    if (!(err instanceof ThreadTimeoutError || (err instanceof ThreadCrashError && err.reason === 'memory'))) throw err;
    ctx.log.warn({ err }, 'an event takes too long to read');
    return null;
  }
}
