// What operators do to accounts: disable them, enable them again, and remove a second factor that was lost.
import { errors } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import {
  deleteSessions,
  forgetResetLinks,
  lockActiveOperators,
  lockUser,
  setAccountDisabled as setDisabledRow,
} from './accounts.sql.ts';
import { deleteFactors, forgetTrust } from './second-factors.sql.ts';
import { type AccountChange, reportChange } from './security-emails.ts';

/**
 * Disables an account, which ends its sessions at once; personal keys, agents and commands stop working while it is
 * disabled. Or enables it again. `actorId` is null for the command of the server. Throws `notFound` for an unknown
 * account, and `accountNeeded` for the caller's own one and for the last active operator.
 */
export async function setAccountDisabled(
  ctx: Context,
  userId: string,
  disabled: boolean,
  actorId: string | null,
): Promise<void> {
  await transact(ctx.db, async (tx) => {
    // Locked before the account, so that two operators cannot disable each other at the same time.
    const operators = disabled ? await lockActiveOperators(tx) : [];
    const user = await lockUser(tx, userId);
    if (user === undefined) throw errors.notFound('user_id: no account has this id.');
    if (user.disabled === disabled) return;
    if (disabled && userId === actorId) throw errors.accountNeeded('You cannot disable your own account.');
    if (disabled && operators.length === 1 && operators[0] === userId)
      throw errors.accountNeeded('This is the last active operator. Make another account an operator first.');
    await setDisabledRow(tx, userId, disabled ? ctx.clock.now() : null);
    if (disabled) await endSignIns(tx, userId);
    await report(ctx, tx, disabled ? 'disabled' : 'enabled', user);
  });
}

/**
 * Removes the authenticator app, backup codes and passkeys, and ends all sessions. Throws `notFound` for an unknown
 * account.
 */
export async function removeSecondFactor(ctx: Context, userId: string): Promise<{ removed: boolean }> {
  return transact(ctx.db, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === undefined) throw errors.notFound('user_id: no account has this id.');
    const removed = await deleteFactors(tx, userId);
    await endSignIns(tx, userId);
    if (removed) await report(ctx, tx, 'factors_reset', user);
    return { removed };
  });
}

async function endSignIns(tx: Tx, userId: string): Promise<void> {
  await deleteSessions(tx, userId);
  await forgetResetLinks(tx, userId);
  await forgetTrust(tx, userId);
}

async function report(
  ctx: Context,
  tx: Tx,
  kind: AccountChange['kind'],
  { id, email }: { id: string; email: string },
): Promise<void> {
  await reportChange(ctx, tx, { kind, userId: id, email }, null);
}
