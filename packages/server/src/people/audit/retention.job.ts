// Deletes old entries of the audit log.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { firstIdAt } from '../../kernel/secrets/ids.ts';
import { forgetEntries } from './audit.sql.ts';

export const auditRetentionJob = defineJob(
  'audit:retention',
  { attempts: 5, cron: '17 4 * * *', lane: 'long', deletesOld: true },
  expireAudit,
);

/** Few enough for a short transaction. */
const BATCH_SIZE = 5000;

export async function expireAudit({ db, clock, config: { auditDays } }: Context): Promise<void> {
  if (auditDays === 0) return;
  const before = firstIdAt(clock.now().getTime() - auditDays * DAY);
  while ((await forgetEntries(db, before, BATCH_SIZE)) === BATCH_SIZE);
}
