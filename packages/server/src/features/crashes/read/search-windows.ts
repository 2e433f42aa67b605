// Decides in which steps a search goes back in time.

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
  const end = timeOf(newest);
  const start = end - Math.max(LEAST_SPAN_MS, end - timeOf(oldest)) * FURTHER;
  return start > 0 ? [firstIdAt(start), null] : [null];
}

/** Milliseconds since 1970, which a UUIDv7 begins with (RFC 9562, section 5.7). */
function timeOf(reportId: string): number {
  return Number.parseInt(reportId.replace('-', '').slice(0, 12), 16);
}

function firstIdAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
