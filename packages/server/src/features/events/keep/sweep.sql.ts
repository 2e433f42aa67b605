// The SQL that removes what games left behind that are gone.
import { sql } from 'kysely';
import { changed, type Db, rows, transact } from '../../../kernel/db.ts';

export async function gamesGone(db: Db): Promise<string[]> {
  const found = await rows(db, sql<{ game_id: string }>`select game_id from event_games_gone`);
  return found.map(({ game_id }) => game_id);
}

export async function deleteEvents(db: Db, partition: string, gameIds: readonly string[]): Promise<void> {
  await changed(db, sql`delete from ${sql.table(partition)} where game_id = any(${gameIds}::uuid[])`);
}

/** Removes all else of the game; one that went before `sure` need not be looked for again. */
export async function forgetGame(db: Db, gameId: string, sure: Date): Promise<void> {
  await transact(db, async (tx) => {
    await rows(tx, sql`select forget_events_of_game(${gameId}::uuid)`);
    await changed(tx, sql`delete from event_games_gone where game_id = ${gameId} and gone_at < ${sure}`);
  });
}
