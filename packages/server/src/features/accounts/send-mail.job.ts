// Sends one mail, away from the request that asked for it, and again when the mail server was not there.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs.ts';
import type { Mail } from '../../kernel/mail.ts';

export const mailJob = defineJob<Mail>('accounts:send-mail', 12);

export async function sendMail(ctx: Context, mail: Mail): Promise<void> {
  await ctx.mailer.send(mail);
}
