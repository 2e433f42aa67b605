// Deletes old sessions, after which only their counts are left, and old counts.
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { deleteBefore } from './sessions.sql.ts';

export const sessionsRetentionJob = defineJob(
  'sdk-sessions:retention',
  { attempts: 5, cron: '37 4 * * *', lane: 'long', deletesOld: true },
  deleteOldSessions,
);

/** Longer than the 30 days over which devices are counted, and in which a session may have started. */
const SESSION_DAYS = 35;

export async function deleteOldSessions({ db, config, clock }: Context): Promise<void> {
  const daysAgo = (days: number) => utcDayOf(new Date(clock.now().getTime() - days * DAY));
  await deleteBefore(db, 'sdk_sessions', daysAgo(SESSION_DAYS));
  await deleteBefore(db, 'sdk_session_devices', daysAgo(SESSION_DAYS));
  if (config.eventCountDays > 0) await deleteBefore(db, 'sdk_session_days', daysAgo(config.eventCountDays));
}
