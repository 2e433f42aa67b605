// Games that are similar to another one: they share the most tags with it.

import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { Band } from '@chauffeur/contract/operations/health';
import * as contract from '@chauffeur/contract/operations/store';
import { sql } from 'kysely';
import { listingBands } from '../../analytics/health/health.ts';
import { SECOND } from '../../kernel/clock.ts';
import { cacheFor, createRecent } from '../../kernel/collections/cache.ts';
import { type Db, rows } from '../../kernel/database/db.ts';
import { readTexts } from '../../people/games/games.ts';
import { perContext } from '../../request/per-context.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { CACHE_SECONDS, cardsOf, findReady } from './shelves.ts';
import { requireVisibleGame } from './store.ts';

type Similar = OutputOf<typeof contract.listSimilar>;

/** How many games are checked for whether they can be listed, and ordered by their health. */
const CANDIDATES = 24;
/** The number of games whose similar games a process keeps. */
const MAX_KEPT = 1000;

const keptOf = perContext(() => createRecent<string, ReturnType<typeof cacheFor<Similar>>>(MAX_KEPT));

/** The result is the same for everyone, and may be a minute old. Throws `notFound`. */
export const listSimilar = handle(contract.listSimilar, async (ctx, { caller, input }) => {
  const { game } = await requireVisibleGame(ctx, caller, input.uid);
  const { tags } = await readTexts(ctx, game.game_id);
  if (tags.length === 0) return { games: [] };
  const kept = keptOf(ctx);
  const key = JSON.stringify([game.game_id, tags]);
  const cached = kept.get(key) ?? cacheFor<Similar>(CACHE_SECONDS * SECOND);
  kept.set(key, cached);
  return cached(ctx.clock.now(), () =>
    onReplica(ctx, { caller }, async (reader) => ({ games: await findSimilar(reader, game.game_id, tags) })),
  );
});

async function findSimilar(ctx: Reader, gameId: string, tags: readonly string[]): Promise<Similar['games']> {
  const sharing = await listSharing(ctx.db, { gameId, tags, limit: CANDIDATES });
  const ids = sharing.map(({ game_id }) => game_id);
  const [ready, bands] = await Promise.all([findReady(ctx, ids), listingBands(ctx, ids)]);
  const chosen = rankSimilar(sharing, bands);
  const byId = new Map(ready.map((candidate) => [candidate.game_id, candidate]));
  return cardsOf(ctx, chosen.flatMap((id) => byId.get(id) ?? []).slice(0, LIMITS.similarGames));
}

/** Games with problems come after unrated ones. */
const HEALTH_ORDER: Readonly<Record<Band, number>> = { excellent: 0, healthy: 0, unrated: 1, mixed: 2, problematic: 3 };

/** Returns the ids in order. Games without a band are unrated. */
export function rankSimilar(games: readonly SimilarGameRow[], bands: ReadonlyMap<string, Band>): string[] {
  const healthOf = ({ game_id }: SimilarGameRow) => HEALTH_ORDER[bands.get(game_id) ?? 'unrated'];
  return games
    .toSorted(
      (a, b) =>
        b.shared - a.shared ||
        healthOf(a) - healthOf(b) ||
        b.published_at.getTime() - a.published_at.getTime() ||
        (a.game_id < b.game_id ? -1 : 1),
    )
    .map(({ game_id }) => game_id);
}

export type SimilarGameRow = {
  readonly game_id: string;
  /** The number of the tags that it has. */
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
): Promise<SimilarGameRow[]> {
  // This is several times faster than comparing two lists of tags.
  const shared = sql.join(
    tags.map((tag) => sql`(tags @> array[${tag}]::text[])::int`),
    sql` + `,
  );
  return rows(
    db,
    sql<SimilarGameRow>`select game_id, shared, published_at from (
        select game_id, ${shared} as shared, published_at from games
        where visibility = 'public' and tags && ${tags}::text[] and tagline <> '' and description <> ''
          and published_at is not null and game_id <> ${gameId}
        order by shared desc, published_at desc, game_id
      ) as sharing
      where exists (select from channel_pointers as pointers where pointers.game_id = sharing.game_id and channel = 'stable')
      order by shared desc, published_at desc, game_id limit ${limit}`,
  );
}
