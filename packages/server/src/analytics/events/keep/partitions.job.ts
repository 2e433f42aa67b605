// Creates the partitions of today and the next days ahead of time. Runs once a day.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { ensurePartition } from '../../../kernel/database/partitions.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { partitionOf } from '../partitions.ts';

export const eventPartitionJob = defineJob(
  'events:make-partitions',
  { attempts: 3, cron: '5 1 * * *' },
  makeEventPartitions,
);

/** Even if no worker runs for this many days, new events have a partition. */
const DAYS_AHEAD = 7;

export async function makeEventPartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  for (let day = 0; day <= DAYS_AHEAD; day += 1) await ensurePartition(ctx.db, partitionOf(new Date(now + day * DAY)));
}
