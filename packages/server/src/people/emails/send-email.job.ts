// Sends one mail in a job, with retries if the mail server is unavailable, and deletes counts of mails that have expired.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import type { Mail } from '../../kernel/mail/mail.ts';
import { deleteExpired } from './emails.sql.ts';

export const mailJob = defineJob('accounts:send-mail', { attempts: 12 }, sendMail);

export async function sendMail(ctx: Context, mail: Mail): Promise<void> {
  await ctx.mailer.send(mail);
}

export const dropMailCountsJob = defineJob(
  'accounts:drop-mail-counts',
  { attempts: 3, cron: '51 * * * *', lane: 'long', deletesOld: true },
  dropMailCounts,
);

export async function dropMailCounts({ db, clock }: Context): Promise<void> {
  await deleteExpired(db, clock.now());
}
