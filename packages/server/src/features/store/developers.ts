// The public page of a developer: who they are, and the games that players may find.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/developers';
import type { Caller, Context } from '../../context.ts';
import { findDeveloper } from './browse.sql.ts';
import { browseGamesOf } from './browse.ts';

export async function getDeveloper(
  ctx: Context,
  _caller: Caller,
  { handle, ...page }: InputOf<typeof contract.getDeveloper>,
): Promise<OutputOf<typeof contract.getDeveloper>> {
  const found = await findDeveloper(ctx.db, handle);
  if (found === undefined) throw new ApiError(4040, 'handle: no developer has it.');
  return {
    handle: found.handle,
    name: found.name,
    since: found.created_at.toISOString(),
    ...(await browseGamesOf(ctx, found.id, page)),
  };
}
