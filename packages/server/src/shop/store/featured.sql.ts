// The SQL of the game that operators feature.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

export type FeaturedRow = { game_id: string; slug: string; name: string };

/** Undefined without a choice, or if the game was deleted. */
export function findFeatured(db: Db): Promise<FeaturedRow | undefined> {
  return row(db, sql<FeaturedRow>`select game_id, slug, name from featured_game join games using (game_id)`);
}

/** Serializes changes of the choice, because there may be no row to lock. */
export async function lockFeatured(tx: Tx): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended('featured game', 0))`);
}

export async function setFeatured(tx: Tx, gameId: string | null): Promise<void> {
  if (gameId === null) {
    await changed(tx, sql`delete from featured_game`);
    return;
  }
  await changed(
    tx,
    sql`insert into featured_game (game_id) values (${gameId})
      on conflict (is_only) do update set game_id = excluded.game_id, chosen_at = now()`,
  );
}
