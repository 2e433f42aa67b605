// Counts uses per key and minute in memory, which needs no query. Processes tell each other about busy keys once a
// second (share-limits.ts), so a limit holds for all of them together.
import { errors } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { MINUTE } from '../kernel/clock.ts';
import { countLimit } from '../kernel/limits/rate-limit.ts';
import type { LimitName } from '../kernel/telemetry/metric-table.ts';
import { perContext } from './per-context.ts';

/** The keys to count per minute. Beyond that, uses of new keys are not limited. */
const MAX_KEYS = 100_000;
/** A process reports a key once it has used this share of its limit. Most addresses never do. */
const REPORTED_SHARE = 0.05;

/** The uses of one minute in this process, and what is known of those in other processes. */
export type MinuteWindow = {
  start: number;
  readonly used: Map<string, number>;
  /** The keys that were reported to other processes. */
  readonly shared: Map<string, { reported: number; others: number }>;
  /** The keys with uses to report. */
  readonly due: Set<string>;
};

/** `max` is the number of uses per minute, 0 for no limit. `message` names the limit that was reached. */
export type MinuteLimit = { readonly max: number; readonly message: string };

const windowsOf = perContext(() => new Map<LimitName, MinuteWindow>());

/**
 * Creates a counter. The counter counts one use of `key`, and throws `limitReached` with `retry_after` in seconds
 * beyond the limit. `name` is the label of the limit in the metrics.
 */
export function countByMinute(name: LimitName): (ctx: Context, key: string, limit: MinuteLimit) => void {
  return (ctx, key, { max, message }) => {
    if (max === 0) return;
    const now = ctx.clock.now().getTime();
    const window = openWindow(ctx, name, now);
    const used = window.used.get(key) ?? 0;
    const shared = window.shared.get(key);
    if (countLimit(ctx.metrics, name, used + (shared?.others ?? 0) < max)) {
      if (used > 0 || window.used.size < MAX_KEYS) window.used.set(key, used + 1);
      if (shared !== undefined || used + 1 >= max * REPORTED_SHARE) window.due.add(key);
      return;
    }
    const retryAfter = Math.max(1, Math.ceil((window.start + MINUTE - now) / 1000));
    throw errors.limitReached(`${message}. Try again in ${retryAfter} s.`, { data: { retry_after: retryAfter } });
  };
}

/** The windows of the current minute that have uses. */
export function currentWindows(ctx: Context): readonly (readonly [LimitName, MinuteWindow])[] {
  const start = startOfMinute(ctx.clock.now().getTime());
  return [...windowsOf(ctx)].filter(([, window]) => window.start === start);
}

function openWindow(ctx: Context, name: LimitName, now: number): MinuteWindow {
  const window = windowsOf(ctx).getOrInsertComputed(name, () => ({
    start: 0,
    used: new Map(),
    shared: new Map(),
    due: new Set(),
  }));
  const start = startOfMinute(now);
  if (window.start !== start) {
    window.start = start;
    for (const kept of [window.used, window.shared, window.due]) kept.clear();
  }
  return window;
}

function startOfMinute(time: number): number {
  return time - (time % MINUTE);
}
