// Decides in which steps a search goes back in time.
import { firstIdAt, timeOfId } from '../../../kernel/ids.ts';

/** How many times as far back a step goes at most, before the index is asked for everything. */
const FURTHER = 20;
/** Matches are not spread evenly. */
const SPARE = 2;
/** Reports that came together say little of how many there are. */
const LEAST_SPAN_MS = 1000;

/**
 * Lower bound of report ids for a search from `newest` back, where the reports from there to `oldest` were looked through; null for no
 * bound. What was not common enough for a look has some hundred matches there at most, however many lie further back.
 */
export function firstWindow(newest: string, oldest: string): string | null {
  const looked = Math.max(LEAST_SPAN_MS, timeOfId(newest) - timeOfId(oldest));
  return boundAt(timeOfId(newest) - looked * FURTHER);
}

/**
 * The bound after a search back to `from` found this share of a page: so far that the rest should be there. Null for no bound, where that is
 * much further: what has few there has few in all, mostly.
 */
export function nextWindow(newest: string, from: string, share: number): string | null {
  const times = SPARE / share;
  if (times > FURTHER) return null;
  return boundAt(timeOfId(newest) - (timeOfId(newest) - timeOfId(from)) * times);
}

function boundAt(time: number): string | null {
  return time > 0 ? firstIdAt(Math.floor(time)) : null;
}
