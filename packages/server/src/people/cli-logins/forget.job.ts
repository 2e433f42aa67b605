// Deletes logins of the command that ended a while ago, and requests that expired.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { forgetLogins } from './logins.sql.ts';
import { forgetRequests } from './requests.sql.ts';

export const forgetLoginsJob = defineJob(
  'cli-logins:forget',
  { attempts: 3, cron: '17 * * * *', lane: 'long', deletesOld: true },
  forgetOldLogins,
);

/** How long a login that ended stays in the database. */
const ENDED_DAYS = 30;

export async function forgetOldLogins(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY);
  await forgetRequests(ctx.db, now);
  await forgetLogins(ctx.db, { revoked: daysAgo(ENDED_DAYS), used: daysAgo(LIMITS.cliLoginDays + ENDED_DAYS) });
}
