// The public page of a developer, with their games that a search would find.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/developers';
import { handle } from '../../request/route.ts';
import { findDeveloper } from './browse.sql.ts';
import { browseGamesOf } from './browse.ts';

export const getDeveloper = handle(contract.getDeveloper, async (ctx, { input: { handle, ...page } }) => {
  const developer = await findDeveloper(ctx.db, handle);
  if (developer === undefined) throw errors.notFound('handle: no developer has this handle.');
  return {
    handle: developer.handle,
    name: developer.name,
    since: developer.created_at.toISOString(),
    ...(await browseGamesOf(ctx, developer.id, page)),
  };
});
