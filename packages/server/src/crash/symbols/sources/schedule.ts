// Decides when symbol servers are asked again: soon after a failure, rarely for what they don't have, and not at all for
// a while if they keep failing.
import { DAY, HOUR, MINUTE } from '../../../kernel/clock.ts';
import type { LookupRow } from './lookups.sql.ts';

/** After this long, a module that could not be looked up counts as absent. */
const GIVE_UP_MS = 3 * DAY;
const MAX_RETRY_MS = 6 * HOUR;
const MAX_ABSENCE_MS = 32 * DAY;
/** A single failure says nothing about a server. */
const FAILURES_BEFORE_PAUSE = 3;
const MAX_PAUSE_MS = HOUR;

/** Whether a report that misses the module is a reason to look it up again. */
export function isWorthLookup(
  { state, asked, due_at: dueAt, symbol_id: symbolId }: Pick<LookupRow, 'state' | 'asked' | 'due_at' | 'symbol_id'>,
  sources: readonly string[],
  now: Date,
): boolean {
  if (state === 'waiting') return false;
  // Its symbols were deleted.
  if (state === 'found') return symbolId === null;
  return dueAt <= now || sources.some((source) => !asked.includes(source));
}

/** Returns when a look-up is tried again after `tries` failures; null if it has waited too long. */
export function nextTry({ tries, waitingSince, now }: { tries: number; waitingSince: Date; now: Date }): Date | null {
  if (now.getTime() - waitingSince.getTime() > GIVE_UP_MS) return null;
  return after(now, Math.min(MAX_RETRY_MS, MINUTE * 4 ** (tries - 1)));
}

/** Returns until when a module counts as absent that no source had `absences` times in a row. */
export function absentUntil(absences: number, now: Date): Date {
  return after(now, Math.min(MAX_ABSENCE_MS, DAY * 2 ** (absences - 1)));
}

/** Returns until when a source is left alone after `failures` in a row; null if it is asked again at once. */
export function pausedUntil(
  { failures, retryAfterMs }: { failures: number; retryAfterMs: number | undefined },
  now: Date,
): Date | null {
  const asked = Math.min(MAX_PAUSE_MS, retryAfterMs ?? 0);
  const own =
    failures < FAILURES_BEFORE_PAUSE ? 0 : Math.min(MAX_PAUSE_MS, MINUTE * 2 ** (failures - FAILURES_BEFORE_PAUSE));
  const pause = Math.max(asked, own);
  return pause === 0 ? null : after(now, pause);
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
