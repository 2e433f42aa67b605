// Links in emails to unconfirmed addresses that block more of them, for a time.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/profile';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { deriveKey, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import * as sql from './emails.sql.ts';

/** Then the owner of the address can sign up or follow a game again, even without the link. */
const BLOCK_MS = 30 * DAY;

const keyOf = perContext(({ secret }) => deriveKey(secret, 'blocks of mails'));

/** It never expires, like the email that has it. */
export function blockToken(ctx: Context, recipient: string): string {
  return signToken(keyOf(ctx), Buffer.from(recipient, 'base64url'));
}

/** Whether the address of the link takes only emails that it has confirmed. Throws `notFound`. */
export async function isBlocked(ctx: Context, token: string): Promise<boolean> {
  return (await sql.findBlocks(ctx.db, [recipientIn(ctx, token)], ctx.clock.now())).length > 0;
}

/** The body that email programs send is ignored. Throws `notFound`. */
export const blockMails = stream(contract.blockMails, async (ctx, { input }) => {
  await setBlock(ctx, input.token);
  return answer(200, {});
});

/** Throws `notFound`. */
export async function setBlock(ctx: Context, token: string): Promise<void> {
  await sql.setBlock(ctx.db, recipientIn(ctx, token), new Date(ctx.clock.now().getTime() + BLOCK_MS));
}

/** Takes a block back. Throws `notFound`. */
export async function allowEmails(ctx: Context, token: string): Promise<void> {
  await sql.deleteBlock(ctx.db, recipientIn(ctx, token));
}

function recipientIn(ctx: Context, token: string): string {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) throw errors.notFound('token: this link is incomplete.');
  return payload.toString('base64url');
}
