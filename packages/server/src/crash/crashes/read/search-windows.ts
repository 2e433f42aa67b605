// Decides how far back each step of a search goes.
import { DAY } from '../../../kernel/clock.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';

/** A step goes back at most this many times as far as the previous one; after that, everything is searched. */
const MAX_FACTOR = 20;
/** Matches are not evenly distributed, so a window is twice as long as the average distance suggests. */
const SAFETY_FACTOR = 2;
/** Reports that arrived within a shorter time say little about the usual rate. */
const MIN_SPAN_MS = 1000;

/**
 * The lower bound of report ids for the first step of a search, after the reports from `newest` to `oldest` were
 * scanned; null for no bound. If that scan did not find a full page, this window has a few hundred matches at most.
 */
export function firstWindow(newest: string, oldest: string): string | null {
  const scanned = Math.max(MIN_SPAN_MS, timeOfId(newest) - timeOfId(oldest));
  return boundAt(timeOfId(newest) - scanned * MAX_FACTOR);
}

/**
 * The bound for the next step, after the search back to `from` found `share` of a page: far enough to find the rest.
 * Null (no bound) if that is much further, because there are probably few matches in total.
 */
export function nextWindow(newest: string, from: string, share: number): string | null {
  const times = SAFETY_FACTOR / share;
  if (times > MAX_FACTOR) return null;
  return boundAt(timeOfId(newest) - (timeOfId(newest) - timeOfId(from)) * times);
}

/**
 * The lower bound of the window below `to`, after the newest reports down to `to` had `found` reports of a page of
 * `wanted`; null for no bound. A search by values reads whole days.
 */
export function windowBelow(
  newest: string,
  to: string,
  { found, wanted }: { found: number; wanted: number },
): string | null {
  const searched = Math.max(MIN_SPAN_MS, timeOfId(newest) - timeOfId(to));
  const times = found === 0 ? MAX_FACTOR : Math.min(MAX_FACTOR, (SAFETY_FACTOR * (wanted - found)) / found);
  return boundAt(timeOfId(to) - Math.max(DAY, searched * times));
}

/** How many times longer the next window is. */
const FACTOR = 4;

/**
 * Windows of report ids, from the one below `before` on back to `oldest`. The first is `length` ms long, and at least a
 * day.
 */
export function* windowsBack(
  { oldest, before }: { readonly oldest: string; readonly before: string },
  length: number = DAY,
): Generator<{ readonly from: string; readonly to: string }> {
  let to = before;
  for (let next = Math.max(DAY, length); to > oldest; next *= FACTOR) {
    const bound = boundAt(timeOfId(to) - next);
    const from = bound === null || bound < oldest ? oldest : bound;
    yield { from, to };
    to = from;
  }
}

function boundAt(time: number): string | null {
  return time > 0 ? firstIdAt(Math.floor(time)) : null;
}
