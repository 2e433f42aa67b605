// The shelves of the store: computed at most once a minute by each process, and the same for every caller.
import { hash } from 'node:crypto';
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/shelves';
import { publicHealthOf } from '../../analytics/health/health.ts';
import { ANONYMOUS, type Context } from '../../context.ts';
import { SECOND, utcDayOf } from '../../kernel/clock.ts';
import { perContext } from '../../request/per-context.ts';
import { type Reader, readReplica } from '../../request/read-replica.ts';
import { publicImages } from '../../ship/media/media.ts';
import { chooseGames } from './choose.ts';
import { type Candidate, changedAt, type ShelfRequest } from './shelf-rules.ts';
import { type CardRow, listCards } from './shelves.sql.ts';

type Shelf = OutputOf<typeof contract.getShelf>;
type ShelfGame = Shelf['games'][number];
/** A shelf and its ETag, including the quotes. */
type TaggedShelf = { readonly shelf: Shelf; readonly etag: string };

/** How long a process caches a shelf. */
export const CACHE_SECONDS = 60;

type CacheEntry = { readonly day: string; readonly filledAt: number; readonly shelf: Promise<TaggedShelf> };
/** Keyed by shelf and OS, so there are few entries. */
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
  const games = await readReplica(ctx, { caller: ANONYMOUS }, async (reader) =>
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
