// Saved searches of crashes, which all members of a game share.
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/crash-groups';
import { transact } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { checkQuery } from '../read/query.ts';
import * as sql from './searches.sql.ts';

type Saved = OutputOf<typeof contract.saveCrashSearch>;

export const listCrashSearches = handle(contract.listCrashSearches, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { searches: (await sql.listSearches(ctx.db, game.game_id)).map(recordOf) };
});

function recordOf({ search_id, ...search }: sql.SearchRow): Saved {
  return { search_uid: search_id, ...search };
}

/** Throws `invalid` for a wrong query, and for one search too many. */
export const saveCrashSearch = handle(contract.saveCrashSearch, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { query, view } = input;
  const name = tidyDisplayName(input.name);
  const problem = findDisplayNameProblem(name);
  if (problem !== null) throw errors.invalid(`name: ${problem}.`);
  checkQuery(query);
  return transact(ctx.db, async (tx) => {
    // Two members may save searches at once.
    await lockGame(tx, game.game_id);
    const existing = await sql.listSearches(tx, game.game_id);
    const former = existing.find((search) => search.name === name);
    if (former === undefined && existing.length >= LIMITS.crashSearches)
      throw errors.invalid(`A game has at most ${LIMITS.crashSearches} saved searches. Delete one first.`);
    const search = { search_id: former?.search_id ?? newId(), name, query, view, created_by: caller.user.name };
    await sql.upsertSearch(tx, game.game_id, search);
    return recordOf(search);
  });
});

export const deleteCrashSearch = handle(contract.deleteCrashSearch, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  if (!(await sql.deleteSearch(ctx.db, game.game_id, input.search_uid)))
    throw errors.notFound('search_uid: this game has no such saved search.');
  return { deleted: true };
});
