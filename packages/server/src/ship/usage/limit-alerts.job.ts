// Raises an alert when a game has nearly reached a daily limit of its crash reports.
import { USAGE_NOTICE } from '@chauffeur/contract/operations/usage';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { raiseAlerts } from '../../notify/alerts/alerts.ts';
import { readLimits } from '../quotas/quotas.ts';
import * as sql from './usage.sql.ts';

export const limitAlertsJob = defineJob('usage:alerts', { attempts: 1, cron: '*/5 * * * *' }, raiseLimitAlerts);

export async function raiseLimitAlerts(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const counters = await sql.listCrashCounters(ctx.db, new Date(Math.floor(now.getTime() / DAY) * DAY));
  for (const { game_id: gameId, name, used } of counters) {
    const isCount = name === 'crashes';
    const limit = isCount ? ctx.config.limitCrashes : (await readLimits(ctx, ctx.db, gameId)).crashFiles;
    if (limit === 0 || used < USAGE_NOTICE * limit) continue;
    const quota = isCount ? 'crash_reports' : 'crash_files';
    // The counters include refused requests.
    const data = { quota, used: Math.min(used, limit), limit } as const;
    await raiseAlerts(ctx.db, gameId, [
      { kind: 'quota_low', subject: `${quota} ${utcDayOf(now)}`, happenedAt: now, data },
    ]);
  }
}
