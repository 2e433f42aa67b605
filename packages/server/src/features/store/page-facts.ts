// What the website's server says of games before its script runs: in the head of their pages, and to search engines.
import { ApiError } from '@chauffeur/contract/errors';
import type { Caller, Context } from '../../context.ts';
import { readGameAndOwner, readTexts } from '../games/games.ts';
import { type ImageSet, publicImages } from '../media/media.ts';
import { type AddressRow, countAddresses, findDeveloper, listAddresses } from './browse.sql.ts';
import { browseGamesOf } from './browse.ts';
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

export type DeveloperFacts = {
  readonly name: string;
  /** Of their newest game. */
  readonly image: ImageSet['cover'];
  readonly hasGames: boolean;
};

/** Null when nobody has the handle. */
export async function readDeveloperFacts(ctx: Context, handle: string): Promise<DeveloperFacts | null> {
  const found = await findDeveloper(ctx.db, handle);
  if (found === undefined) return null;
  const { games } = await browseGamesOf(ctx, found.id, { limit: 1 });
  const [newest] = games;
  return { name: found.name, image: newest?.cover ?? newest?.thumbnail ?? null, hasGames: newest !== undefined };
}

export function countPublicAddresses(ctx: Context): Promise<number> {
  return countAddresses(ctx.db);
}

/** Paths of public games and of their developers, and when they were changed; `page` counts from 1. */
export function listPublicAddresses(ctx: Context, page: number, pageSize: number): Promise<AddressRow[]> {
  return listAddresses(ctx.db, { limit: pageSize, offset: (page - 1) * pageSize });
}
