// Counts uses by their keys in this minute, in memory: counting costs no round trip, and nothing of it is stored.
// Processes count apart, so N of them let through N times as many.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { MINUTE } from './clock.ts';
import { perContext } from './per-context.ts';

/** Keys of one minute; past it, unknown ones are let through rather than known ones forgotten. */
const MOST_KEYS = 100_000;

type Window = { start: number; readonly used: Map<string, number> };

/** `most` uses a minute, 0 for any number; `message` says what has been reached. */
export type MinuteLimit = { readonly most: number; readonly message: string };

/** Makes a counter: it counts one use of `key`, and throws 4290 with `retry_after` in seconds past the limit. */
export function countByMinute(): (ctx: Context, key: string, limit: MinuteLimit) => void {
  const windowOf = perContext<Window>(() => ({ start: 0, used: new Map() }));
  return (ctx, key, { most, message }) => {
    if (most === 0) return;
    const now = ctx.clock.now().getTime();
    const start = now - (now % MINUTE);
    const window = windowOf(ctx);
    if (window.start !== start) {
      window.start = start;
      window.used.clear();
    }
    const used = (window.used.get(key) ?? 0) + 1;
    if (used > 1 || window.used.size < MOST_KEYS) window.used.set(key, used);
    if (used <= most) return;
    const retryAfter = Math.max(1, Math.ceil((start + MINUTE - now) / 1000));
    throw new ApiError(4290, `${message}; try again in ${retryAfter} s.`, { data: { retry_after: retryAfter } });
  };
}
