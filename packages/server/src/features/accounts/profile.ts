// What an account says of itself in public: the handle of its page.
import { ApiError } from '@chauffeur/contract/errors';
import { handleProblem } from '@chauffeur/contract/handle';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/profile';
import type { AccountCaller, Context } from '../../context.ts';
import { isUniqueViolation } from '../../kernel/db.ts';
import { readHandle, updateHandle } from './accounts.sql.ts';

type Profile = OutputOf<typeof contract.getProfile>;

export async function getProfile(ctx: Context, { user }: AccountCaller): Promise<Profile> {
  return { handle: await readHandle(ctx.db, user.id) };
}

/** Throws 4002 for a handle that is not well-formed, reserved, or taken. */
export async function updateProfile(
  ctx: Context,
  { user }: AccountCaller,
  { handle }: InputOf<typeof contract.updateProfile>,
): Promise<Profile> {
  const problem = handle === null ? null : handleProblem(handle);
  if (problem !== null) throw new ApiError(4002, `handle: ${problem}.`);
  try {
    await updateHandle(ctx.db, user.id, handle);
  } catch (error) {
    // Of two who want it at the same moment, the index lets one have it.
    if (isUniqueViolation(error))
      throw new ApiError(4002, `handle: ${handle} belongs to another developer; choose another.`, { cause: error });
    throw error;
  }
  return { handle };
}
