// What changed about how a person signs in, and the email that reports it to them.
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { enqueueEmail } from '../emails/emails.ts';
import { type AccountChange, type Origin, securityEmail } from './security-emails.ts';

/** Reports a change. The email is sent after the commit. */
export async function reportChange(ctx: Context, tx: Tx, change: AccountChange, origin: Origin): Promise<void> {
  const about = { at: ctx.clock.now(), origin, publicUrl: ctx.publicUrl };
  await enqueueEmail(ctx, tx, 'security', securityEmail(change.email, change, about), { topic: change.kind });
}
