// Deletes crash reports that are older than the configured number of days: whole months, with their files. Groups keep
// their counts.

import type { Context } from '../../../context.ts';
import { deleteBelow } from '../../../kernel/blobs/sweep.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { dropPartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { deleteRowsBefore } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { uncountReports } from '../groups/impact.sql.ts';
import { CRASH_PREFIX, firstIdOf, monthOf } from '../report/files.ts';
import * as retention from './retention.sql.ts';

export const retentionJob = defineJob(
  'crashes:retention',
  { attempts: 5, cron: '37 4 * * *', lane: 'long', deletesOld: true },
  dropOldCrashes,
);

/**
 * Drops the months that ended CHAUFFEUR_CRASH_DAYS ago or earlier; 0 keeps everything. Deletes files first, so an
 * interrupted run can be repeated.
 */
export async function dropOldCrashes(ctx: Context): Promise<void> {
  if (ctx.config.crashDays === 0) return;
  const limit = new Date(ctx.clock.now().getTime() - ctx.config.crashDays * DAY);
  // The month of the limit is kept as a whole.
  const firstKept = monthOf(limit);
  await uncountOld(ctx, firstIdOf(limit));
  for (const partition of await listPartitions(ctx.db, 'crash_reports')) {
    const month = partition.slice(-firstKept.length);
    if (month >= firstKept) break;
    await deleteBelow(ctx.blobs, `${CRASH_PREFIX}${month}/`);
    await dropPartition(ctx.db, partition);
    ctx.log.info({ month }, 'dropped expired crash reports');
  }
  const firstId = firstIdOf(limit);
  await retention.deleteFromDefaultPartition(ctx.db, firstId);
  await retention.forgetSamples(ctx.db, firstId);
  await forgetNames(ctx, limit);
}

/** Small enough for a short transaction: a group that gets reports waits for it. */
const UNCOUNTED_AT_ONCE = 500;

/** Devices, sessions and facets are those of stored reports. */
async function uncountOld(ctx: Context, firstId: string): Promise<void> {
  for (const gameId of await retention.listGamesWithGroups(ctx.db)) {
    for (;;) {
      const ids = await retention.listCounted(ctx.db, gameId, firstId, UNCOUNTED_AT_ONCE);
      if (ids.length > 0) await transactGroups(ctx.db, (tx) => uncountReports(tx, gameId, ids));
      if (ids.length < UNCOUNTED_AT_ONCE) break;
    }
  }
}

/**
 * A name is dated when its report is processed, which is never before the report arrived. The margin covers small
 * differences between the clocks of processes.
 */
const MARGIN = DAY;

/**
 * Deletes names of functions, and values of facets, that were last seen before the month of `limit`, because all reports
 * with them are deleted.
 */
async function forgetNames(ctx: Context, limit: Date): Promise<void> {
  const month = Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth());
  const day = utcDayOf(new Date(month - MARGIN));
  // The day alone decides, because looking for reports with each name would take longest for the names that are kept.
  await deleteRowsBefore(ctx.db, { table: 'crash_functions', day: 'seen_on' }, day);
  for (const gameId of await retention.listGamesWithGroups(ctx.db)) {
    await retention.forgetTotals(ctx.db, gameId);
    await retention.forgetValues(ctx.db, gameId, day);
  }
}
