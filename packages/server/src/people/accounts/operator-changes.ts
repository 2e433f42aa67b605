// What only the operator's commands do to an account: set its password, create a link to set it, and delete it.
import { errors } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { isMissingReference, transact } from '../../kernel/database/db.ts';
import { newSecret } from '../../kernel/secrets/ids.ts';
import { deleteUser, lockActiveOperators } from './accounts.sql.ts';
import type { Auth } from './accounts.ts';

/** Sets the password, also of an account that had none. Its sessions continue: the caller ends them. */
export async function setPasswordHash(auth: Auth, userId: string, text: string): Promise<void> {
  const { internalAdapter, password } = await auth.$context;
  const hash = await password.hash(text);
  const accounts = await internalAdapter.findAccounts(userId);
  if (accounts.some(({ providerId }) => providerId === 'credential'))
    await internalAdapter.updatePassword(userId, hash);
  else await internalAdapter.linkAccount({ userId, providerId: 'credential', accountId: userId, password: hash });
}

const TOKEN_LENGTH = 32;

/** The same link as in the email after a request to reset the password. It works once. */
export async function createResetLink(
  { publicUrl, clock }: Context,
  auth: Auth,
  userId: string,
): Promise<{ url: string; expiresAt: Date }> {
  const { internalAdapter } = await auth.$context;
  const token = newSecret(TOKEN_LENGTH);
  const expiresAt = new Date(clock.now().getTime() + HOUR);
  await internalAdapter.createVerificationValue({ identifier: `reset-password:${token}`, value: userId, expiresAt });
  return { url: `${publicUrl}/reset?token=${token}`, expiresAt };
}

type Leaving = {
  /** Gives the games of the person to other owners. False if there are none. */
  readonly leave: () => Promise<boolean>;
  /** The error for games that no one else owns. */
  readonly refuse: () => Error;
};

/** Throws `accountNeeded` for the last active operator, and what `refuse` returns. */
export async function deleteAccount(ctx: Context, userId: string, { leave, refuse }: Leaving): Promise<void> {
  const operators = await transact(ctx.db, lockActiveOperators);
  if (operators.length === 1 && operators[0] === userId)
    throw errors.accountNeeded('This is the last active operator. Make another account an operator first.');
  if (!(await leave())) throw refuse();
  await deleteUser(ctx.db, userId).catch((error) => {
    // The account became the owner of a game in the meantime.
    throw isMissingReference(error) ? refuse() : error;
  });
}
