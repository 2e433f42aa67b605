// The partitions of events: one for each UTC day, by the time at which an event was written.
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import type { Partition } from '../../kernel/database/partitions.ts';

/** The partition for the day of `time`, such as `events_2026_11_30`. */
export function partitionOf(time: Date): Partition {
  const day = Math.floor(time.getTime() / DAY) * DAY;
  return {
    table: 'events',
    column: 'received_at',
    type: 'timestamptz',
    name: `events_${utcDayOf(time).replaceAll('-', '_')}`,
    from: new Date(day).toISOString(),
    to: new Date(day + DAY).toISOString(),
  };
}

/** The start of the day of a partition from `partitionOf`. */
export function dayOfPartition(name: string): Date {
  return new Date(`${name.slice(-'2026_11_30'.length).replaceAll('_', '-')}T00:00:00Z`);
}
