// The SQL of pages that operators have hidden.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';
import type { GameRow } from './games.sql.ts';

export type HiddenRow = { reason: string; hidden_at: Date; visibility_before: GameRow['visibility'] };

export function findHidden(db: Db, gameId: string): Promise<HiddenRow | undefined> {
  return row(
    db,
    sql<HiddenRow>`select reason, hidden_at, visibility_before from hidden_games where game_id = ${gameId}`,
  );
}

type Hiding = { readonly reason: string; readonly by: string; readonly at: Date };

/** Makes the game a draft. If it is hidden already, only the reason changes. */
export async function hideGame(tx: Tx, gameId: string, { reason, by, at }: Hiding): Promise<void> {
  await changed(
    tx,
    sql`insert into hidden_games (game_id, reason, hidden_by, hidden_at, visibility_before)
      select game_id, ${reason}, ${by}, ${at}, visibility from games where game_id = ${gameId}
      on conflict (game_id) do update set reason = excluded.reason, hidden_by = excluded.hidden_by`,
  );
  await changed(tx, sql`update games set visibility = 'draft', updated_at = now() where game_id = ${gameId}`);
}

export async function restoreGame(tx: Tx, gameId: string): Promise<void> {
  await changed(
    tx,
    sql`update games set visibility = visibility_before, updated_at = now() from hidden_games
      where games.game_id = ${gameId} and hidden_games.game_id = ${gameId}`,
  );
  await changed(tx, sql`delete from hidden_games where game_id = ${gameId}`);
}
