// Sends one email in a job, with retries if the email server is unavailable, and deletes counts of emails that have
// expired.
import type { Context } from '../../context.ts';
import type { Email } from '../../kernel/email/email.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { deleteExpired } from './emails.sql.ts';

export const sendEmailJob = defineJob('accounts:send-mail', { attempts: 12 }, sendEmail);

export async function sendEmail(ctx: Context, mail: Email): Promise<void> {
  await ctx.mailer.send(mail);
}

export const dropEmailCountsJob = defineJob(
  'accounts:drop-mail-counts',
  { attempts: 3, cron: '51 * * * *', lane: 'long', deletesOld: true },
  dropEmailCounts,
);

export async function dropEmailCounts({ db, clock }: Context): Promise<void> {
  await deleteExpired(db, clock.now());
}
