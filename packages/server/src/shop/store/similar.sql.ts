// The SQL of similar games.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';

export type SimilarRow = {
  readonly game_id: string;
  /** How many of the tags it has. */
  readonly shared: number;
  readonly published_at: Date;
};

/**
 * The public games with a description and a build on stable that have the most of the tags. Among games with as many,
 * the last published come first. An index finds the games with any of the tags. Their builds are looked up in the order
 * of the result, and no further than needed.
 */
export function listSharing(
  db: Db,
  { gameId, tags, limit }: { gameId: string; tags: readonly string[]; limit: number },
): Promise<SimilarRow[]> {
  // Several times faster than comparing two lists of tags.
  const shared = sql.join(
    tags.map((tag) => sql`(tags @> array[${tag}]::text[])::int`),
    sql` + `,
  );
  return rows(
    db,
    sql<SimilarRow>`select game_id, shared, published_at from (
        select game_id, ${shared} as shared, published_at from games
        where visibility = 'public' and tags && ${tags}::text[] and tagline <> '' and description <> ''
          and published_at is not null and game_id <> ${gameId}
        order by shared desc, published_at desc, game_id
      ) as sharing
      where exists (select from channel_pointers as pointers where pointers.game_id = sharing.game_id and channel = 'stable')
      order by shared desc, published_at desc, game_id limit ${limit}`,
  );
}
