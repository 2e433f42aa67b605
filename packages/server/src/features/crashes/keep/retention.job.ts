// Lets go of crash reports whose time is over: whole months, with every file of theirs. Groups keep what they counted.
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { dropPartition, listPartitions } from '../../../kernel/partitions.ts';
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
  for (const partition of await listPartitions(ctx.db, 'crash_reports')) {
    const month = partition.slice(-kept.length);
    if (month >= kept) break;
    await dropFiles(ctx, `${CRASH_PREFIX}${month}/`);
    await dropPartition(ctx.db, partition);
    ctx.log.info({ month }, 'crash reports dropped, as their time is over');
  }
  const firstId = firstIdOf(limit);
  await retention.deleteUnsorted(ctx.db, firstId);
  await retention.forgetSamples(ctx.db, firstId);
  await forgetFunctions(ctx, limit);
}

/** A report was looked at on the day when it came or later, by a clock that may be a little behind that of the process that took it in. */
const MARGIN = DAY;

/** Forgets the names of functions that no report named since the month of `limit` began: those that did are gone. */
async function forgetFunctions(ctx: Context, limit: Date): Promise<void> {
  const month = Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth());
  const day = utcDayOf(new Date(month - MARGIN));
  while ((await retention.forgetFunctions(ctx.db, day, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
}

/** A transaction that is over in an instant. */
const FORGOTTEN_AT_ONCE = 10_000;

async function dropFiles(ctx: Context, prefix: string): Promise<void> {
  for await (const { key } of ctx.blobs.list(prefix)) await ctx.blobs.delete(key);
}
