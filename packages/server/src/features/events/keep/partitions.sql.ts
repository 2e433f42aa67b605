// The partitions of events: one for each UTC day, cut by when an event was written.
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db.ts';
import * as partitions from '../../../kernel/partitions.ts';

/** `events_2026_11_30` for the day of `time`. */
export function partitionOf(time: Date): string {
  return `events_${utcDayOf(time).replaceAll('-', '_')}`;
}

/** Makes the partition of the day of `time` unless it is there. Rows of it that the default partition took in move over. */
export function ensurePartition(db: Db, time: Date): Promise<void> {
  const day = Math.floor(time.getTime() / DAY) * DAY;
  return partitions.ensurePartition(db, {
    table: 'events',
    column: 'received_at',
    type: 'timestamptz',
    name: partitionOf(time),
    from: new Date(day).toISOString(),
    to: new Date(day + DAY).toISOString(),
  });
}
