// The public page of a developer, with their games that a search would find.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/developers';
import type { Context } from '../../context.ts';
import type { Call } from '../../request/call.ts';
import { findDeveloper } from './browse.sql.ts';
import { browseGamesOf } from './browse.ts';

export async function getDeveloper(
  ctx: Context,
  { input: { handle, ...page } }: Call<typeof contract.getDeveloper>,
): Promise<OutputOf<typeof contract.getDeveloper>> {
  const developer = await findDeveloper(ctx.db, handle);
  if (developer === undefined) throw new ApiError(4040, 'handle: no developer has this handle.');
  return {
    handle: developer.handle,
    name: developer.name,
    since: developer.created_at.toISOString(),
    ...(await browseGamesOf(ctx, developer.id, page)),
  };
}
