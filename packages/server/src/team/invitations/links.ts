// The links of invitations: how long they are valid, and how many are sent.
import { errors } from '@chauffeur/contract/errors';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newSecret } from '../../kernel/secrets/ids.ts';

/** A token has about 232 bits. */
const TOKEN_LENGTH = 40;
export const VALID_DAYS = 7;
/** Minimum time between two emails of one invitation. */
const MIN_INTERVAL = MINUTE;

export function newLink(ctx: Context) {
  const now = ctx.clock.now();
  return { token: newSecret(TOKEN_LENGTH), now, expiresAt: new Date(now.getTime() + VALID_DAYS * DAY) };
}

/** Throws `limitReached` if the last email was sent less than a minute ago. */
export function requireInterval(sentAt: Date, now: Date): void {
  const wait = Math.ceil((sentAt.getTime() + MIN_INTERVAL - now.getTime()) / SECOND);
  if (wait > 0)
    throw errors.limitReached(`The invitation was sent less than a minute ago. Try again in ${wait} s.`, {
      data: { retry_after: wait },
    });
}

/**
 * Throws `limitReached` if the person has sent too many invitations within an hour, for all their games and
 * organisations.
 */
export async function countInvitation(ctx: Context, tx: Tx, { user }: AccountCaller): Promise<void> {
  const limit = {
    name: 'invitations',
    max: ctx.config.limitInvitations,
    windowSeconds: 3600,
    scope: 'account',
  } as const;
  await countUse(ctx, tx, user.id, limit);
}
