// Counts the downloads of each game on the last 30 days, so that a list of games can be sorted by them.
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import * as browse from './browse.sql.ts';

export const recentDownloadsJob = defineJob(
  'store:recent-downloads',
  { attempts: 5, cron: '37 * * * *', lane: 'long' },
  countRecentDownloads,
);

const DAYS = 30;

export async function countRecentDownloads(ctx: Context): Promise<void> {
  const since = utcDayOf(new Date(ctx.clock.now().getTime() - (DAYS - 1) * DAY));
  await transact(ctx.db, (tx) => browse.countRecentDownloads(tx, since));
}
