// The partitions of events: one for each UTC day, by the time at which an event was written. A job creates those of the
// next days once a day.
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { ensurePartition, type Partition } from '../../../kernel/database/partitions.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';

/** The partition for the day of `time`, such as `events_2026_11_30`. */
export function eventPartitionOf(time: Date): Partition {
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

export const eventPartitionJob = defineJob(
  'events:make-partitions',
  { attempts: 3, cron: '5 1 * * *' },
  makeEventPartitions,
);

/** Even if no worker runs for this many days, new events have a partition. */
const DAYS_AHEAD = 7;

export async function makeEventPartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  for (let day = 0; day <= DAYS_AHEAD; day += 1)
    await ensurePartition(ctx.db, eventPartitionOf(new Date(now + day * DAY)));
}
