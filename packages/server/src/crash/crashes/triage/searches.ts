// Saved searches of crashes, which all members of a game share.
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { CrashView, ReportKind } from '@chauffeur/contract/operations/crash-groups';
import * as contract from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx, transact } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { checkQuery } from '../read/query.ts';

type Saved = OutputOf<typeof contract.saveCrashSearch>;

export const listCrashSearches = handle(contract.listCrashSearches, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { searches: (await listSearches(ctx.db, game.game_id)).map(recordOf) };
});

function recordOf({ search_id, ...search }: SearchRow): Saved {
  return { search_uid: search_id, ...search };
}

/** Throws `invalid` for a wrong query, and for one search too many. */
export const saveCrashSearch = handle(contract.saveCrashSearch, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { query, kind = 'crash', view } = input;
  const name = tidyDisplayName(input.name);
  const problem = findDisplayNameProblem(name);
  if (problem !== null) throw errors.invalid(`name: ${problem}.`);
  checkQuery(query);
  return transact(ctx.db, async (tx) => {
    // Two members may save searches at once.
    await lockGame(tx, game.game_id);
    const existing = await listSearches(tx, game.game_id);
    const former = existing.find((search) => search.name === name);
    if (former === undefined && existing.length >= LIMITS.crashSearches)
      throw errors.invalid(`A game has at most ${LIMITS.crashSearches} saved searches. Delete one first.`);
    const search = { search_id: former?.search_id ?? newId(), name, query, kind, view, created_by: caller.user.name };
    await upsertSearch(tx, game.game_id, search);
    return recordOf(search);
  });
});

export const deleteCrashSearch = handle(contract.deleteCrashSearch, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  if (!(await deleteSearch(ctx.db, game.game_id, input.search_uid)))
    throw errors.notFound('search_uid: this game has no such saved search.');
  return { deleted: true };
});

export type SearchRow = {
  search_id: string;
  name: string;
  query: string;
  kind: ReportKind;
  view: CrashView;
  created_by: string;
};

/** The saved searches of a game, by name. */
export function listSearches(db: Db, gameId: string): Promise<SearchRow[]> {
  return rows(
    db,
    sql<SearchRow>`select search_id, name, query, kind, view, created_by from crash_searches
      where game_id = ${gameId} order by lower(name), search_id`,
  );
}

export async function upsertSearch(tx: Tx, gameId: string, search: SearchRow): Promise<void> {
  const { search_id, name, query, kind, view, created_by } = search;
  await changed(
    tx,
    sql`insert into crash_searches (game_id, search_id, name, query, kind, view, created_by)
      values (${gameId}, ${search_id}, ${name}, ${query}, ${kind}, ${view}, ${created_by})
      on conflict (game_id, search_id) do update set query = excluded.query, kind = excluded.kind, view = excluded.view,
        created_by = excluded.created_by`,
  );
}

export async function deleteSearch(db: Db, gameId: string, searchId: string): Promise<boolean> {
  const count = await changed(
    db,
    sql`delete from crash_searches where game_id = ${gameId} and search_id = ${searchId}`,
  );
  return count > 0;
}
