// Makes the partitions of today and of the next days, so that no event waits for one; run once a day.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { ensurePartition } from './partitions.sql.ts';

export const eventPartitionJob = defineJob<object>('events:make-partitions', 3);

/** A worker that is away for so long is missed by nobody who sends events. */
const DAYS_AHEAD = 7;

export async function makeEventPartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  for (let day = 0; day <= DAYS_AHEAD; day += 1) await ensurePartition(ctx.db, new Date(now + day * DAY));
}
