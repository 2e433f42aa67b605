// Keeps crash reports for the configured number of days. Reports are dropped by month, with the partition of the month
// and its files; groups keep their counts. Further jobs create the partitions of coming months, and delete files that
// belong to no report, from uploads that did not finish and from deleted reports.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { deleteBelow, sweepOrphans } from '../../../kernel/blobs/sweep.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { dropPartition, ensurePartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { deleteRowsBefore } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { uncountReports } from '../groups/counts.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { REPEATED_WITHIN } from '../receive/create.ts';
import { deleteNames } from '../receive/once.ts';
import { CRASH_PREFIX, firstIdOf, keysOf, monthOf, reportPartitionOf } from '../report/files.ts';
import { filesOf } from './delete.ts';

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
  await deleteFromDefaultPartition(ctx.db, firstId);
  await forgetSamples(ctx.db, firstId);
  await forgetNames(ctx, limit);
}

/** A batch is small enough for a short transaction, because a group that gets reports waits for it. */
const UNCOUNTED_AT_ONCE = 500;

/** Devices, sessions and facets are those of stored reports. */
async function uncountOld(ctx: Context, firstId: string): Promise<void> {
  for (const gameId of await listGamesWithGroups(ctx.db)) {
    for (;;) {
      const ids = await listCounted(ctx.db, gameId, firstId, UNCOUNTED_AT_ONCE);
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
 * Deletes names of functions, and values of facets, that were last seen before the month of `limit`, because all
 * reports with them are deleted.
 */
async function forgetNames(ctx: Context, limit: Date): Promise<void> {
  const month = Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth());
  const day = utcDayOf(new Date(month - MARGIN));
  // The day alone decides, because looking for reports with each name would take longest for the names that are kept.
  await deleteRowsBefore(ctx.db, { table: 'crash_functions', day: 'seen_on' }, day);
  for (const gameId of await listGamesWithGroups(ctx.db)) {
    await forgetTotals(ctx.db, gameId);
    await forgetValues(ctx.db, gameId, day);
  }
}

/** Deletes reports with ids below `firstId` that arrived before their month had a partition. */
export function deleteFromDefaultPartition(db: Db, firstId: string): Promise<number> {
  return changed(db, sql`delete from crash_reports_default where report_id < ${firstId}::uuid`);
}

/** Clears the sample of groups whose sample was deleted. It was the group's newest report, so there is no other. */
export async function forgetSamples(db: Db, firstId: string): Promise<void> {
  await changed(db, sql`update crash_groups set sample_report_id = null where sample_report_id < ${firstId}::uuid`);
}

/** The games with crash groups. */
export async function listGamesWithGroups(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from crash_groups`);
  return games.map(({ game_id }) => game_id);
}

/** Reports with ids below `firstId` that are still counted, the oldest first. */
export async function listCounted(db: Db, gameId: string, firstId: string, limit: number): Promise<string[]> {
  const counted = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_impact
      where game_id = ${gameId} and report_id < ${firstId}::uuid order by report_id limit ${limit}`,
  );
  return counted.map(({ report_id }) => report_id);
}

/** Deletes values of facets last seen before `day` that no stored report has. */
export async function forgetValues(db: Db, gameId: string, day: string): Promise<void> {
  await changed(
    db,
    sql`delete from crash_facet_values old where game_id = ${gameId} and seen_on < ${day}::date and not exists (
      select from crash_group_values counted
      where counted.game_id = ${gameId} and counted.value_id = old.value_id)`,
  );
}

/** Deletes totals that no report is counted in any more. Rows that are being changed at this moment are skipped. */
export async function forgetTotals(db: Db, gameId: string): Promise<void> {
  await changed(
    db,
    sql`with old as materialized (
        select scope_id, value_id, slot from crash_total_values
        where game_id = ${gameId} and reports = 0 for update skip locked
      )
      delete from crash_total_values counted using old where counted.game_id = ${gameId}
        and counted.scope_id = old.scope_id and counted.value_id = old.value_id and counted.slot = old.slot`,
  );
}

export const partitionJob = defineJob('crashes:make-partitions', { attempts: 3, cron: '3 1 * * *' }, makePartitions);

/** Even if no worker runs for this many months, new reports have a partition. */
const MONTHS_AHEAD = 3;

export async function makePartitions(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  for (let month = 0; month <= MONTHS_AHEAD; month += 1) {
    const time = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month));
    await ensurePartition(ctx.db, reportPartitionOf(time));
  }
}

export const sweepCrashesJob = defineJob(
  'crashes:sweep',
  { attempts: 3, cron: '7 5 * * *', lane: 'long', deletesOld: true },
  sweepCrashes,
);

/** Deletes blobs below `crashes/` that are older than a day and belong to no report, and names of older reports. */
export async function sweepCrashes(ctx: Context): Promise<void> {
  // The clocks of processes differ.
  await deleteNames(ctx.db, new Date(ctx.clock.now().getTime() - 2 * REPEATED_WITHIN));
  await sweepOrphans(ctx, CRASH_PREFIX, async (keys) => {
    const reportIds = new Set(keys.map(reportIdOf).filter(isUuid));
    return new Set((await filesOf(ctx.db, [...reportIds])).flatMap(keysOf));
  });
}

/** Returns the report of a key such as `crashes/2026_11/3f/<report id>.<name>`. */
function reportIdOf(key: string): string {
  return key.split('/')[3]?.split('.')[0] ?? '';
}
