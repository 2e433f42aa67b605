// The SQL of slugs, former ones included.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';

type SlugRow = { game_id: string; slug: string; is_former: boolean };

/** The games with these slugs, also with former ones. */
export function findIdsOfSlugs(db: Db, slugs: readonly string[]): Promise<SlugRow[]> {
  return rows(
    db,
    sql<SlugRow>`select game_id, game_slugs.slug, games.slug <> game_slugs.slug as is_former
      from game_slugs join games using (game_id) where game_slugs.slug = any(${slugs}::text[])`,
  );
}
