// Chooses the games of a shelf: walks them in the shelf's order, some at a time, until enough of them may stand there.
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import type { Context } from '../../context.ts';
import { launchFacts } from '../events/events.ts';
import { listingBands } from '../health/health.ts';
import { dayOrder } from './day-order.ts';
import { findMissing } from './listing-check.ts';
import { type Asked, bestFirst, type Candidate, fits, isUnheardOf, SHELF_LENGTH, unheardSince } from './shelf-rules.ts';
import { type FactsRow, factsOfGames, type GameKey, listChanged, listPublished } from './shelves.sql.ts';

/** A shelf looks at no more games than these, nor at more changes: the newest ones. */
const MOST_GAMES = 10_000;
const MOST_CHANGES = 1000;
/** Of so many games that fit this evening, the first of the day's order, the best stand in front. */
const TONIGHT_DRAWN = 60;
/** Games looked at first; then twice as many each time, so that a shelf for which hardly any fits takes few statements too. */
const FIRST_LOT = 48;

/** At most 12 games, in their order on the shelf. */
export function chooseGames(ctx: Context, asked: Asked): Promise<Candidate[]> {
  return CHOICES[asked.shelf](ctx, asked);
}

const CHOICES: Readonly<Record<ShelfName, (ctx: Context, asked: Asked) => Promise<Candidate[]>>> = {
  async unheard_of(ctx, asked) {
    const { shelf, day, os, now } = asked;
    const recent = await listPublished(ctx.db, { os, since: unheardSince(now), most: MOST_GAMES });
    return walk(ctx, asked, dayOrder(shelf, day, recent), SHELF_LENGTH, async (lot) => {
      const launches = await launchFacts(ctx, idsOf(lot));
      return lot.filter(({ game_id }) => isUnheardOf(launches.get(game_id)!, now));
    });
  },
  async tonight(ctx, asked) {
    const { shelf, day, os } = asked;
    const queue = dayOrder(shelf, day, await listPublished(ctx.db, { os, most: MOST_GAMES }));
    const drawn = await walk(ctx, asked, queue, TONIGHT_DRAWN);
    return bestFirst(drawn, await listingBands(ctx, idsOf(drawn))).slice(0, SHELF_LENGTH);
  },
  async new(ctx, asked) {
    return walk(ctx, asked, await listPublished(ctx.db, { os: asked.os, most: MOST_GAMES }), SHELF_LENGTH);
  },
  async recently_updated(ctx, asked) {
    return walk(ctx, asked, await listChanged(ctx.db, asked.now, MOST_CHANGES), SHELF_LENGTH);
  },
};

/** The first `most` games of the queue that pass the listing check, whose downloads fit and which `keep` keeps. */
async function walk(
  ctx: Context,
  asked: Asked,
  queue: readonly GameKey[],
  most: number,
  keep: (lot: Candidate[]) => Promise<Candidate[]> = async (lot) => lot,
): Promise<Candidate[]> {
  const chosen: Candidate[] = [];
  for (let start = 0, size = FIRST_LOT; start < queue.length && chosen.length < most; start += size, size *= 2)
    chosen.push(...(await keep(await candidatesOf(ctx, asked, idsOf(queue.slice(start, start + size))))));
  return chosen.slice(0, most);
}

/** In the order of the ids. */
async function candidatesOf(ctx: Context, asked: Asked, gameIds: readonly string[]): Promise<Candidate[]> {
  const found = await factsOfGames(ctx.db, gameIds, asked.now);
  const facts = new Map(found.map((row) => [row.game_id, row]));
  const inOrder = gameIds.flatMap((id) => facts.get(id) ?? []);
  return inOrder.filter(isCandidate).filter((candidate) => fits(candidate, asked));
}

function isCandidate(row: FactsRow): row is FactsRow & Candidate {
  return row.published_at !== null && findMissing(row).length === 0;
}

function idsOf(games: readonly GameKey[]): string[] {
  return games.map(({ game_id }) => game_id);
}
