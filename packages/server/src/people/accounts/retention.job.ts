// Deletes sessions, and single-use values such as those of links in emails, that expired a day ago, and hashes the
// tokens of sessions that the previous release started during an update.
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { changed } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { differsFromDatabase } from '../../kernel/jobs/steady-clock.ts';

export const accountRetentionJob = defineJob(
  'accounts:retention',
  { attempts: 3, cron: '41 * * * *', lane: 'long', deletesOld: true },
  forgetExpired,
);
export const correctTimesJob = defineJob(
  'accounts:correct-times',
  { attempts: 3, cron: '*/5 * * * *', lane: 'long', atStart: true },
  correctTimes,
);

/** The clock of the database counts as well, because that of this process may be ahead, and would end every session. */
export async function forgetExpired({ db, clock }: Context): Promise<void> {
  const before = sql`least(${new Date(clock.now().getTime() - DAY)}::timestamptz, now() - interval '1 day')`;
  await changed(db, sql`delete from user_sessions where expires_at < ${before}`);
  // Migration 0101 does the same.
  await changed(
    db,
    sql`update user_sessions
      set token = translate(rtrim(encode(sha256(convert_to(token, 'UTF8')), 'base64'), '='), '+/', '-_')
      where length(token) <> 43`,
  );
  await changed(db, sql`delete from user_verifications where expires_at < ${before}`);
}

/**
 * Corrects times from while a clock was ahead. Otherwise people would be locked out, or signed in, until it has caught
 * up. Clocks that differ by a few minutes are left alone. Does nothing while the clock of this process may still be
 * ahead.
 */
export async function correctTimes({ db, clock }: Context): Promise<void> {
  if (await differsFromDatabase(db, clock)) return;
  const ahead = sql`now() + interval '1 hour'`;
  await changed(
    db,
    sql`update user_sessions set created_at = now(), updated_at = now(),
        expires_at = least(expires_at, now() + (expires_at - updated_at)) where created_at > ${ahead} or updated_at > ${ahead}`,
  );
  await changed(db, sql`update user_two_factors set locked_until = null where locked_until > ${ahead}`);
  await changed(db, sql`delete from user_rate_limits where last_request > extract(epoch from ${ahead}) * 1000`);
  await changed(db, sql`delete from user_verifications where created_at > ${ahead}`);
}
