// The SQL of saved searches.
import type { CrashView } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx } from '../../../kernel/database/db.ts';

export type SearchRow = { search_id: string; name: string; query: string; view: CrashView; created_by: string };

/** The saved searches of a game, by name. */
export function listSearches(db: Db, gameId: string): Promise<SearchRow[]> {
  return rows(
    db,
    sql<SearchRow>`select search_id, name, query, view, created_by from crash_searches
      where game_id = ${gameId} order by lower(name), search_id`,
  );
}

export async function upsertSearch(tx: Tx, gameId: string, search: SearchRow): Promise<void> {
  const { search_id, name, query, view, created_by } = search;
  await changed(
    tx,
    sql`insert into crash_searches (game_id, search_id, name, query, view, created_by)
      values (${gameId}, ${search_id}, ${name}, ${query}, ${view}, ${created_by})
      on conflict (game_id, search_id) do update set query = excluded.query, view = excluded.view,
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
