// Counts uses per key and minute in memory, which needs no query and stores nothing. Each process counts for itself, so
// N processes let N times as many through.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { MINUTE } from '../kernel/clock.ts';
import { countLimit } from '../kernel/limits/count-limit.ts';
import type { LimitName } from '../kernel/telemetry/metric-table.ts';
import { perContext } from './per-context.ts';

/** The keys to count per minute. Beyond that, uses of new keys are not limited. */
const MAX_KEYS = 100_000;

type Window = { start: number; readonly used: Map<string, number> };

/** `max` is the number of uses per minute, 0 for no limit. `message` names the limit that was reached. */
export type MinuteLimit = { readonly max: number; readonly message: string };

/**
 * Creates a counter. The counter counts one use of `key`, and throws 4290 with `retry_after` in seconds beyond the
 * limit. `name` is the label of the limit in the metrics.
 */
export function countByMinute(name: LimitName): (ctx: Context, key: string, limit: MinuteLimit) => void {
  const windowOf = perContext<Window>(() => ({ start: 0, used: new Map() }));
  return (ctx, key, { max, message }) => {
    if (max === 0) return;
    const now = ctx.clock.now().getTime();
    const start = now - (now % MINUTE);
    const window = windowOf(ctx);
    if (window.start !== start) {
      window.start = start;
      window.used.clear();
    }
    const used = (window.used.get(key) ?? 0) + 1;
    if (used > 1 || window.used.size < MAX_KEYS) window.used.set(key, used);
    if (countLimit(ctx.metrics, name, used <= max)) return;
    const retryAfter = Math.max(1, Math.ceil((start + MINUTE - now) / 1000));
    throw new ApiError(4290, `${message}. Try again in ${retryAfter} s.`, { data: { retry_after: retryAfter } });
  };
}
