// Chooses the games of a shelf: checks them in batches, in the order of the shelf, until it is full.
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import { launchFacts } from '../../analytics/events/events.ts';
import { listingBands } from '../../analytics/health/health.ts';
import type { Reader } from '../../request/read-replica.ts';
import { dayOrder } from './day-order.ts';
import { findMissing } from './listing-check.ts';
import {
  bestFirst,
  type Candidate,
  fits,
  isUnheardOf,
  SHELF_LENGTH,
  type ShelfRequest,
  unheardSince,
} from './shelf-rules.ts';
import { type FactsRow, factsOfGames, type GameKey, listChanged, listPublished } from './shelves.sql.ts';

/** A shelf considers at most this many games and changes, newest first. */
const MAX_GAMES = 10_000;
const MAX_CHANGES = 1000;
/** The tonight shelf orders this many matching games, the first of the day's order, by their health. */
const TONIGHT_CANDIDATES = 60;
/** Games in the first batch. Batches double in size, so that a shelf with few matches needs few statements. */
const FIRST_BATCH = 48;

/** At most 12 games, in the order of the shelf. */
export function chooseGames(ctx: Reader, request: ShelfRequest): Promise<Candidate[]> {
  return CHOICES[request.shelf](ctx, request);
}

const CHOICES: Readonly<Record<ShelfName, (ctx: Reader, request: ShelfRequest) => Promise<Candidate[]>>> = {
  async unheard_of(ctx, request) {
    const { shelf, day, os, now } = request;
    const recent = await listPublished(ctx.db, { os, since: unheardSince(now), limit: MAX_GAMES });
    return takeMatching(ctx, request, dayOrder(shelf, day, recent), SHELF_LENGTH, async (batch) => {
      const launches = await launchFacts(ctx, idsOf(batch));
      return batch.filter(({ game_id }) => isUnheardOf(launches.get(game_id)!, now));
    });
  },
  async tonight(ctx, request) {
    const { shelf, day, os } = request;
    const queue = dayOrder(shelf, day, await listPublished(ctx.db, { os, limit: MAX_GAMES }));
    const candidates = await takeMatching(ctx, request, queue, TONIGHT_CANDIDATES);
    return bestFirst(candidates, await listingBands(ctx, idsOf(candidates))).slice(0, SHELF_LENGTH);
  },
  async new(ctx, request) {
    return takeMatching(ctx, request, await listPublished(ctx.db, { os: request.os, limit: MAX_GAMES }), SHELF_LENGTH);
  },
  async recently_updated(ctx, request) {
    return takeMatching(ctx, request, await listChanged(ctx.db, request.now, MAX_CHANGES), SHELF_LENGTH);
  },
};

/** The first `max` games of the queue that pass the listing check, have a matching download and are kept by `keep`. */
async function takeMatching(
  ctx: Reader,
  request: ShelfRequest,
  queue: readonly GameKey[],
  max: number,
  keep: (batch: Candidate[]) => Promise<Candidate[]> = async (batch) => batch,
): Promise<Candidate[]> {
  const chosen: Candidate[] = [];
  for (let start = 0, size = FIRST_BATCH; start < queue.length && chosen.length < max; start += size, size *= 2)
    chosen.push(...(await keep(await candidatesOf(ctx, request, idsOf(queue.slice(start, start + size))))));
  return chosen.slice(0, max);
}

async function candidatesOf(ctx: Reader, request: ShelfRequest, gameIds: readonly string[]): Promise<Candidate[]> {
  return (await findReady(ctx, gameIds)).filter((candidate) => fits(candidate, request));
}

/** Those of the games that pass the listing check, in the order of the ids. */
export async function findReady(ctx: Reader, gameIds: readonly string[]): Promise<Candidate[]> {
  const rows = await factsOfGames(ctx.db, gameIds, ctx.clock.now());
  const facts = new Map(rows.map((row) => [row.game_id, row]));
  return gameIds.flatMap((id) => facts.get(id) ?? []).filter(isCandidate);
}

function isCandidate(row: FactsRow): row is FactsRow & Candidate {
  return row.published_at !== null && findMissing(row).length === 0;
}

function idsOf(games: readonly GameKey[]): string[] {
  return games.map(({ game_id }) => game_id);
}
