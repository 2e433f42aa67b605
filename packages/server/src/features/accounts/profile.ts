// The public profile of an account: the handle of its page.
import { ApiError } from '@chauffeur/contract/errors';
import { findHandleProblem } from '@chauffeur/contract/handle';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/profile';
import type { Context } from '../../context.ts';
import { isUniqueViolation, transact } from '../../kernel/database/db.ts';
import { recordChange } from '../../request/audit.ts';
import type { Call } from '../../request/call.ts';
import { lockHandle, readHandle, updateHandle } from './accounts.sql.ts';

type Profile = OutputOf<typeof contract.getProfile>;

export async function getProfile(
  ctx: Context,
  { caller: { user } }: Call<typeof contract.getProfile>,
): Promise<Profile> {
  return { handle: await readHandle(ctx.db, user.id) };
}

/** Throws 4002 for a handle that is malformed, reserved or taken. */
export async function updateProfile(
  ctx: Context,
  { caller: { user }, input: { handle } }: Call<typeof contract.updateProfile>,
): Promise<Profile> {
  const problem = handle === null ? null : findHandleProblem(handle);
  if (problem !== null) throw new ApiError(4002, `handle: ${problem}.`);
  try {
    await transact(ctx.db, async (tx) => {
      recordChange('handle', await lockHandle(tx, user.id), handle);
      await updateHandle(tx, user.id, handle);
    });
  } catch (error) {
    // The unique index decides between concurrent requests.
    if (isUniqueViolation(error))
      throw new ApiError(4002, `handle: ${handle} belongs to another developer. Choose another one.`, { cause: error });
    throw error;
  }
  return { handle };
}
