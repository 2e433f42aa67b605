// Confirms by their password that the person who is signed in is the one at the keyboard, before something that cannot be undone.
import { ApiError } from '@chauffeur/contract/errors';
import { verifyPassword } from 'better-auth/crypto';
import type { Context } from '../../context.ts';
import { countUse } from '../../kernel/rate-limit.ts';
import { readPasswordHash } from './accounts.sql.ts';

/** A stolen session must not be good for guessing the password. */
const LIMIT = { name: 'password confirmations', most: 20, windowSeconds: 3600, of: 'account' } as const;

/** Throws 4236 for a wrong password, and 4290 after too many tries. */
export async function requirePassword(ctx: Context, userId: string, password: string): Promise<void> {
  await countUse(ctx.db, ctx.clock, userId, LIMIT);
  const hash = await readPasswordHash(ctx.db, userId);
  if (hash === null || !(await verifyPassword({ hash, password }))) throw new ApiError(4236);
}
