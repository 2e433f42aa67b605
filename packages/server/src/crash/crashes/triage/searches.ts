// Saved searches of crashes, which all members of a game share.
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-searches';
import type { Context } from '../../../context.ts';
import { transact } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../../people/games/games.ts';
import type { Call } from '../../../request/call.ts';
import { checkQuery } from '../read/query.ts';
import * as sql from './searches.sql.ts';

type Saved = OutputOf<typeof contract.saveCrashSearch>;

export async function listCrashSearches(
  ctx: Context,
  { caller, input }: Call<typeof contract.listCrashSearches>,
): Promise<OutputOf<typeof contract.listCrashSearches>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { searches: (await sql.listSearches(ctx.db, game.game_id)).map(recordOf) };
}

function recordOf({ search_id, ...search }: sql.SearchRow): Saved {
  return { search_uid: search_id, ...search };
}

/** Throws 4002 for a wrong query, and for one search too many. */
export async function saveCrashSearch(
  ctx: Context,
  { caller, input }: Call<typeof contract.saveCrashSearch>,
): Promise<Saved> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { query, view } = input;
  const name = tidyDisplayName(input.name);
  const problem = findDisplayNameProblem(name);
  if (problem !== null) throw new ApiError(4002, `name: ${problem}.`);
  checkQuery(query);
  return transact(ctx.db, async (tx) => {
    // Two members may save searches at once.
    await lockGame(tx, game.game_id);
    const existing = await sql.listSearches(tx, game.game_id);
    const former = existing.find((search) => search.name === name);
    if (former === undefined && existing.length >= LIMITS.crashSearches)
      throw new ApiError(4002, `A game has at most ${LIMITS.crashSearches} saved searches. Delete one first.`);
    const search = { search_id: former?.search_id ?? newId(), name, query, view, created_by: caller.user.name };
    await sql.upsertSearch(tx, game.game_id, search);
    return recordOf(search);
  });
}

export async function deleteCrashSearch(
  ctx: Context,
  { caller, input }: Call<typeof contract.deleteCrashSearch>,
): Promise<OutputOf<typeof contract.deleteCrashSearch>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  if (!(await sql.deleteSearch(ctx.db, game.game_id, input.search_uid)))
    throw new ApiError(4040, 'search_uid: this game has no such saved search.');
  return { deleted: true };
}
