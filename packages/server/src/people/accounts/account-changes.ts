// What changed about how a person signs in, and the mail that reports it to them.
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { enqueueMail } from '../emails/emails.ts';
import { type AccountChange, type Origin, securityMail } from './security-mails.ts';

/** Reports a change. The mail is sent after the commit. */
export async function reportChange(ctx: Context, tx: Tx, change: AccountChange, origin: Origin): Promise<void> {
  const about = { at: ctx.clock.now(), origin, publicUrl: ctx.publicUrl };
  await enqueueMail(ctx, tx, 'security', securityMail(change.email, change, about), { topic: change.kind });
}
