// Tests email: sends one to the operator, and reports the reply of the email server.
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { createMailer } from '../../kernel/email/email.ts';
import { admitEmail } from '../../people/emails/emails.ts';
import { type Check, fail, pass, TooSlowError, warn, withDeadline } from './checks.ts';
import { type EmailError, explainEmailFailure, quoteReply } from './email-failure.ts';

const REPLY_MS = 10_000;
const TOTAL_MS = 30_000;

export async function testEmail(ctx: Context, to: string): Promise<Check[]> {
  const { config, publicUrl, log } = ctx;
  const { held, retryAfter } = await transact(ctx.db, (tx) => admitEmail(ctx, tx, 'test', { to }));
  if (held !== null)
    return [fail(`This address has had too many test emails. Try again in ${retryAfter} s.`, 'Verify your own email.')];
  const { smtp, mailFrom: from, dataFolder } = config;
  const mailer = createMailer({ smtp, from, outbox: join(dataFolder, 'outbox'), timeoutMs: REPLY_MS });
  const text = `This email shows that the server at ${publicUrl} can send email.\n`;
  try {
    const reply = await withDeadline(TOTAL_MS, mailer.send({ to, subject: 'Test email from Chauffeur', text }));
    if (smtp === undefined)
      return [warn(`The email was written to ${reply}, and not sent.`, 'Set CHAUFFEUR_SMTP to send email.')];
    return [pass(`The SMTP server accepted an email to ${to}. It replied: ${quoteReply(reply, smtp)}`)];
  } catch (error) {
    if (smtp === undefined) {
      log.warn({ err: error }, 'a test email could not be written to the outbox');
      return [fail('The email could not be written to the outbox.', 'Make sure that the data folder is writable.')];
    }
    const reason = error instanceof TooSlowError ? { code: 'ETIMEDOUT' } : (error as EmailError);
    return [explainEmailFailure(reason, smtp)];
  } finally {
    mailer.close();
  }
}
