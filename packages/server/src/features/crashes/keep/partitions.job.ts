// Makes the partitions of this month and of the next ones, so that no report waits for one; run once a day.
import type { Context } from '../../../context.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { ensurePartition } from './partitions.sql.ts';

export const partitionJob = defineJob<object>('crashes:make-partitions', 3);

/** A service that nobody looks after for so long still writes where it should. */
const MONTHS_AHEAD = 3;

export async function makePartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  for (let month = 0; month <= MONTHS_AHEAD; month += 1) {
    await ensurePartition(ctx.db, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month)));
  }
}
