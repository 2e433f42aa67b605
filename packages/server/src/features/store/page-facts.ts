// What the website's server says of games before its script runs: in the head of their pages, and to search engines.
import { ApiError } from '@chauffeur/contract/errors';
import type { Caller, Context } from '../../context.ts';
import { readGameAndOwner, readTexts } from '../games/games.ts';
import { type ImageSet, publicImages } from '../media/media.ts';
import { type AddressRow, countPublic, listPublicAddresses } from './browse.sql.ts';
import { requireVisibleGame } from './store.ts';

export type GameFacts = {
  readonly slug: string;
  readonly name: string;
  readonly developer: string;
  readonly tagline: string;
  readonly description: string;
  readonly visibility: 'public' | 'invisible' | 'draft';
  readonly image: ImageSet['cover'];
};

/** Null when there is no such game, or the caller may not see it. */
export async function readGameFacts(ctx: Context, caller: Caller, ref: string): Promise<GameFacts | null> {
  try {
    const { game } = await requireVisibleGame(ctx, caller, ref);
    const [{ owner_name: developer }, { tagline, description }, { cover, thumbnail, gallery }] = await Promise.all([
      readGameAndOwner(ctx, game.game_id),
      readTexts(ctx, game.game_id),
      publicImages(ctx, game.game_id),
    ]);
    const { slug, name, visibility } = game;
    return { slug, name, developer, tagline, description, visibility, image: cover ?? thumbnail ?? gallery[0] ?? null };
  } catch (error) {
    if (error instanceof ApiError && error.code === 4040) return null;
    throw error;
  }
}

export function countPublicGames(ctx: Context): Promise<number> {
  return countPublic(ctx.db);
}

/** Slugs of public games and when they were changed; `page` counts from 1. */
export function listPublicGames(ctx: Context, page: number, pageSize: number): Promise<AddressRow[]> {
  return listPublicAddresses(ctx.db, { limit: pageSize, offset: (page - 1) * pageSize });
}
