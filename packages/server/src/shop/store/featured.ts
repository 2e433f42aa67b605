// The game at the top of the home page: the operator's choice while it can be listed, otherwise a new one each day.

import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/shelves';
import { sql } from 'kysely';
import { ANONYMOUS, type Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { cacheFor } from '../../kernel/collections/cache.ts';
import { changed, type Db, row, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { unknownGame } from '../../people/game-access/game-access.ts';
import { auditChange, noteGame } from '../../request/audit.ts';
import { perContext } from '../../request/per-context.ts';
import { onReplica } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { CACHE_SECONDS, cardsOf, findReady, readShelf } from './shelves.ts';
import { findListingProblems } from './store.ts';

type Featured = OutputOf<typeof contract.getFeatured>;
type Choice = OutputOf<typeof contract.getFeaturedChoice>;

const cacheOf = perContext(() => cacheFor<Featured>(CACHE_SECONDS * SECOND));

/** The result may be a minute old. */
export const getFeatured = handle(contract.getFeatured, (ctx) => {
  return cacheOf(ctx)(ctx.clock.now(), async () => {
    const chosen = await onReplica(ctx, { caller: ANONYMOUS }, async (reader) => {
      const choice = await findFeatured(reader.db);
      return choice === undefined ? [] : cardsOf(reader, await findReady(reader, [choice.game_id]));
    });
    const [game] = chosen;
    return game === undefined ? { by: 'day', game: await gameOfTheDay(ctx) } : { by: 'operator', game };
  });
});

/**
 * The first game of Tonight, whose games start reliably and change their order each day; if it is empty, the newest
 * game.
 */
async function gameOfTheDay(ctx: Context): Promise<Featured['game']> {
  for (const shelf of ['tonight', 'new'] as const) {
    const { games } = (await readShelf(ctx, { shelf })).shelf;
    const game = games.find(({ cover }) => cover !== null);
    if (game !== undefined) return game;
  }
  return null;
}

export const getFeaturedChoice = handle(contract.getFeaturedChoice, readChoice);

async function readChoice(ctx: Context): Promise<Choice> {
  const choice = await findFeatured(ctx.db);
  if (choice === undefined) return { game: null };
  const { game_id, slug, name } = choice;
  const problems = await findListingProblems(ctx, game_id);
  return { game: { game_uid: game_id, slug, name, listed: problems.length === 0 } };
}

/** Throws `invalid` for a game that can't be listed, and `notFound`. */
export const setFeatured = handle(contract.setFeatured, async (ctx, { input: { game: ref } }) => {
  const game = ref === null ? null : await findGame(ctx.db, ref);
  if (ref !== null && game === null) throw unknownGame();
  const [problem] = game === null ? [] : await findListingProblems(ctx, game.game_id);
  if (problem !== undefined) throw errors.invalid(`game: this game can't be listed. ${problem.message}`);
  await transact(ctx.db, async (tx) => {
    // The lock makes the second of two changes at the same time start from the first.
    await lockFeatured(tx);
    const before = await findFeatured(tx);
    await writeFeatured(tx, game?.game_id ?? null);
    if (game !== null) noteGame(game);
    auditChange('featured', before?.slug ?? null, game?.slug ?? null);
  });
  return readChoice(ctx);
});

type FeaturedRow = { game_id: string; slug: string; name: string };

/** The operator's choice. Undefined without one, or if the game was deleted. */
function findFeatured(db: Db): Promise<FeaturedRow | undefined> {
  return row(db, sql<FeaturedRow>`select game_id, slug, name from featured_game join games using (game_id)`);
}

/** Serializes changes of the choice, because there may be no row to lock. */
async function lockFeatured(tx: Tx): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended('featured game', 0))`);
}

async function writeFeatured(tx: Tx, gameId: string | null): Promise<void> {
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
