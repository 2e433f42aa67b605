// The shelves of the store: computed at most once a minute by each process, and the same for every caller. Games are
// checked in batches, in the order of the shelf, until it is full.
import { hash } from 'node:crypto';
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/shelves';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import { launchFacts } from '../../analytics/events/events.ts';
import { listingBands, publicHealthOf } from '../../analytics/health/health.ts';
import { ANONYMOUS, type Context } from '../../context.ts';
import { SECOND, utcDayOf } from '../../kernel/clock.ts';
import { perContext } from '../../request/per-context.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { publicImages } from '../../ship/media/media.ts';
import { findMissing } from './listing-check.ts';
import {
  bestFirst,
  type Candidate,
  changedAt,
  dayOrder,
  fits,
  isUnheardOf,
  SHELF_LENGTH,
  type ShelfRequest,
  unheardSince,
} from './shelf-rules.ts';
import {
  type CardRow,
  type FactsRow,
  factsOfGames,
  type GameKey,
  listCards,
  listChanged,
  listPublished,
} from './shelves.sql.ts';

type Shelf = OutputOf<typeof contract.getShelf>;
type ShelfGame = Shelf['games'][number];
/** A shelf and its ETag, including the quotes. */
type TaggedShelf = { readonly shelf: Shelf; readonly etag: string };

/** How long a process caches a shelf. */
export const CACHE_SECONDS = 60;

type CacheEntry = { readonly day: string; readonly filledAt: number; readonly shelf: Promise<TaggedShelf> };
/** The cached shelves by shelf and OS, so there are few entries. */
const cacheOf = perContext(() => new Map<string, CacheEntry>());

/** Reads the shelf, which may be up to a minute old but is always of the current day. */
export function readShelf(ctx: Context, input: InputOf<typeof contract.getShelf>): Promise<TaggedShelf> {
  const now = ctx.clock.now();
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const request: ShelfRequest = { shelf: input.shelf, os, now, day: utcDayOf(now) };
  const cache = cacheOf(ctx);
  const key = `${request.shelf} ${os ?? ''}`;
  const cached = cache.get(key);
  if (cached !== undefined && isFresh(cached, request)) return cached.shelf;
  const next: CacheEntry = { day: request.day, filledAt: now.getTime(), shelf: fillShelf(ctx, request) };
  cache.set(key, next);
  // Current callers get the failure; later callers try again.
  next.shelf.catch(() => cache.get(key) === next && cache.delete(key));
  return next.shelf;
}

function isFresh({ day, filledAt }: CacheEntry, request: ShelfRequest): boolean {
  return day === request.day && request.now.getTime() - filledAt < CACHE_SECONDS * SECOND;
}

async function fillShelf(ctx: Context, request: ShelfRequest): Promise<TaggedShelf> {
  const games = await onReplica(ctx, { caller: ANONYMOUS }, async (reader) =>
    cardsOf(reader, await chooseGames(reader, request)),
  );
  const shelf = { shelf: request.shelf, day: request.day, games };
  return { shelf, etag: `"${hash('sha256', JSON.stringify(shelf))}"` };
}

/** The cards of these games, in order. Games that were hidden or deleted in the meantime are left out. */
export async function cardsOf(ctx: Reader, chosen: readonly Candidate[]): Promise<ShelfGame[]> {
  const ids = chosen.map(({ game_id }) => game_id);
  const [cards, health] = await Promise.all([listCards(ctx.db, ids), publicHealthOf(ctx, ids)]);
  const byId = new Map(cards.map((card) => [card.game_id, card]));
  const games = chosen.map(async (candidate): Promise<ShelfGame[]> => {
    const card = byId.get(candidate.game_id);

    if (card === undefined) return [];
    return [{ ...(await cardOf(ctx, card, candidate)), ...health.get(candidate.game_id)! }];
  });
  return (await Promise.all(games)).flat();
}

async function cardOf(ctx: Reader, card: CardRow, { published_at, offers }: Candidate) {
  const { game_id, ...texts } = card;
  const { thumbnail, cover } = await publicImages(ctx, game_id);
  return {
    game_uid: game_id,
    ...texts,
    thumbnail,
    cover,
    platforms: offers.map(({ os, arch }) => ({ os, arch })),
    published_at: published_at.toISOString(),
    updated_at: changedAt(offers).toISOString(),
    plays_in_browser: offers.some(({ os }) => os === 'web'),
  };
}

/** A shelf considers at most this many games and changes, newest first. */
const MAX_GAMES = 10_000;
const MAX_CHANGES = 1000;
/** The tonight shelf orders this many matching games, the first of the day's order, by their health. */
const TONIGHT_CANDIDATES = 60;
/** Games in the first batch. Batches double in size, so that a shelf with few matches needs few statements. */
const FIRST_BATCH = 48;

/** Chooses at most 12 games, in the order of the shelf. */
function chooseGames(ctx: Reader, request: ShelfRequest): Promise<Candidate[]> {
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

/** The games that pass the listing check, in the order of the ids. */
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
