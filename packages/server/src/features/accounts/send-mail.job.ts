// Sends one mail in a job, with retries if the mail server is unavailable.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import type { Mail } from '../../kernel/mail/mail.ts';

export const mailJob = defineJob<Mail>('accounts:send-mail', 12);

export async function sendMail(ctx: Context, mail: Mail): Promise<void> {
  await ctx.mailer.send(mail);
}
