// Shelves of the shop window: filled once a minute by each process at most, and the same for every caller.
import { hash } from 'node:crypto';
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/shelves';
import type { Context } from '../../context.ts';
import { SECOND, utcDayOf } from '../../kernel/clock.ts';
import { perContext } from '../../kernel/per-context.ts';
import { listingBands } from '../health/health.ts';
import { publicImages } from '../media/media.ts';
import { chooseGames } from './choose.ts';
import { type Asked, type Candidate, changedAt } from './shelf-rules.ts';
import { type CardRow, listCards } from './shelves.sql.ts';

type Shelf = OutputOf<typeof contract.getShelf>;
type ShelfGame = Shelf['games'][number];
/** A shelf and its entity tag, with its quotes. */
type Answer = { readonly shelf: Shelf; readonly etag: string };

/** How long a process gives the same answer again. */
export const KEPT_SECONDS = 60;

type Kept = { readonly day: string; readonly filledAt: number; readonly answer: Promise<Answer> };
/** By shelf and system, so there are few; each fill takes the place of the one before. */
const keptOf = perContext(() => new Map<string, Kept>());

/** The shelf as it is, or was up to a minute ago on the same day. */
export function readShelf(ctx: Context, input: InputOf<typeof contract.getShelf>): Promise<Answer> {
  const now = ctx.clock.now();
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const asked: Asked = { shelf: input.shelf, os, now, day: utcDayOf(now) };
  const all = keptOf(ctx);
  const key = `${asked.shelf} ${os ?? ''}`;
  const kept = all.get(key);
  if (kept !== undefined && isGood(kept, asked)) return kept.answer;
  const next: Kept = { day: asked.day, filledAt: now.getTime(), answer: fillShelf(ctx, asked) };
  all.set(key, next);
  // Who waits for it gets the failure; who comes later has it tried again.
  next.answer.catch(() => all.get(key) === next && all.delete(key));
  return next.answer;
}

function isGood({ day, filledAt }: Kept, asked: Asked): boolean {
  return day === asked.day && asked.now.getTime() - filledAt < KEPT_SECONDS * SECOND;
}

async function fillShelf(ctx: Context, asked: Asked): Promise<Answer> {
  const chosen = await chooseGames(ctx, asked);
  const shelf = { shelf: asked.shelf, day: asked.day, games: await cardsOf(ctx, chosen) };
  return { shelf, etag: `"${hash('sha256', JSON.stringify(shelf))}"` };
}

/** What stands on the cards of these games, in their order; one that was hidden meanwhile is left out. */
export async function cardsOf(ctx: Context, chosen: readonly Candidate[]): Promise<ShelfGame[]> {
  const ids = chosen.map(({ game_id }) => game_id);
  const [cards, bands] = await Promise.all([listCards(ctx.db, ids), listingBands(ctx, ids)]);
  const byId = new Map(cards.map((card) => [card.game_id, card]));
  const games = chosen.map(async (candidate): Promise<ShelfGame[]> => {
    const card = byId.get(candidate.game_id);
    // Hidden or gone since it was chosen.
    if (card === undefined) return [];
    return [{ ...(await cardOf(ctx, card, candidate)), health: bands.get(candidate.game_id) ?? 'unrated' }];
  });
  return (await Promise.all(games)).flat();
}

async function cardOf(ctx: Context, card: CardRow, { published_at, offers }: Candidate) {
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
