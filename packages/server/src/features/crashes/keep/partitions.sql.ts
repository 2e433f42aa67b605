// The partitions of crash_reports: one for each month, cut by the time that a report’s id begins with.
import type { Db } from '../../../kernel/db.ts';
import { firstIdAt } from '../../../kernel/ids.ts';
import * as partitions from '../../../kernel/partitions.ts';

/** `crash_reports_2026_11` for the month (UTC) of `time`. */
export function partitionOf(time: Date): string {
  return `crash_reports_${time.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** The first UUIDv7 (RFC 9562, section 5.7) that the month of `time`, or one `months` later, can have. */
export function firstIdOf(time: Date, months = 0): string {
  return firstIdAt(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** Makes the partition of the month of `time` unless it is there. Rows of it that the default partition took in move over. */
export function ensurePartition(db: Db, time: Date): Promise<void> {
  return partitions.ensurePartition(db, {
    table: 'crash_reports',
    column: 'report_id',
    type: 'uuid',
    name: partitionOf(time),
    from: firstIdOf(time),
    to: firstIdOf(time, 1),
  });
}
