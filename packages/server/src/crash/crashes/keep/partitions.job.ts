// Creates the partitions of this month and the next ones ahead of time. Runs once a day.
import type { Context } from '../../../context.ts';
import { ensurePartition } from '../../../kernel/database/partitions.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { partitionOf } from '../report/files.ts';

export const partitionJob = defineJob('crashes:make-partitions', { attempts: 3, cron: '3 1 * * *' }, makePartitions);

/** Even if no worker runs for this many months, new reports have a partition. */
const MONTHS_AHEAD = 3;

export async function makePartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  for (let month = 0; month <= MONTHS_AHEAD; month += 1) {
    const time = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month));
    await ensurePartition(ctx.db, partitionOf(time));
  }
}
