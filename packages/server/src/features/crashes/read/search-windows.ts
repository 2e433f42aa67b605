// Decides in which steps a search goes back in time.
import { firstIdAt, timeOfId } from '../../../kernel/ids.ts';

/** How many times as far back as what was looked through the index is asked before it is asked for everything. */
const FURTHER = 20;
/** Reports that came together say little of how many there are. */
const LEAST_SPAN_MS = 1000;

/**
 * Lower bounds of report ids for searches from `newest` back, where the reports from there to `oldest` were looked through; null for no
 * bound. In the first, what was not common enough for a look has some hundred matches at most, however many lie further back; what has
 * few there has few in all, mostly.
 */
export function searchWindows(newest: string, oldest: string): (string | null)[] {
  const end = timeOfId(newest);
  const start = end - Math.max(LEAST_SPAN_MS, end - timeOfId(oldest)) * FURTHER;
  return start > 0 ? [firstIdAt(start), null] : [null];
}
