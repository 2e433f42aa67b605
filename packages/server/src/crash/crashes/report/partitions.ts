// The partitions of crash_reports: one for each month (UTC), by the time that a report's id begins with.
import type { Partition } from '../../../kernel/database/partitions.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';

/** `2026_11` for a time in November 2026. Months sort as text. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM'.length).replace('-', '_');
}

/** The lowest UUIDv7 (RFC 9562, section 5.7) of the month of `time`, or of the month that is `months` later. */
export function firstIdOf(time: Date, months = 0): string {
  return firstIdAt(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** The partition for the month of `time`, such as `crash_reports_2026_11`. */
export function partitionOf(time: Date): Partition {
  return {
    table: 'crash_reports',
    column: 'report_id',
    type: 'uuid',
    name: `crash_reports_${monthOf(time)}`,
    from: firstIdOf(time),
    to: firstIdOf(time, 1),
  };
}
