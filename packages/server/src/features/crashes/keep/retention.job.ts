// Lets go of crash reports whose time is over: whole months, with every file of theirs. Groups keep what they counted.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { CRASH_PREFIX } from '../receive/store-file.ts';
import { firstIdOf } from './partitions.sql.ts';
import * as retention from './retention.sql.ts';

export const retentionJob = defineJob<object>('crashes:retention', 5);

/** Drops the months that ended CHAUFFEUR_CRASH_DAYS ago or more; 0 days keeps all. Files first: what is cut short is done again. */
export async function dropOldCrashes(ctx: Context): Promise<void> {
  if (ctx.config.crashDays === 0) return;
  const limit = new Date(ctx.clock.now().getTime() - ctx.config.crashDays * DAY);
  // The month in which the limit lies is kept whole.
  const kept = limit.toISOString().slice(0, 'YYYY-MM'.length).replace('-', '_');
  for (const partition of await retention.listPartitions(ctx.db)) {
    const month = partition.slice(-kept.length);
    if (month >= kept) break;
    await dropFiles(ctx, `${CRASH_PREFIX}${month}/`);
    await retention.dropPartition(ctx.db, partition);
    ctx.log.info({ month }, 'crash reports dropped, as their time is over');
  }
  const firstId = firstIdOf(limit);
  await retention.deleteUnsorted(ctx.db, firstId);
  await retention.forgetSamples(ctx.db, firstId);
}

async function dropFiles(ctx: Context, prefix: string): Promise<void> {
  for await (const { key } of ctx.blobs.list(prefix)) await ctx.blobs.delete(key);
}
