// Finds out what the server says of a page before its script runs: whether there is such a page, and what stands in its head.
import { GameParams } from '@chauffeur/contract/operations/fields';
import { matchPage } from '@chauffeur/contract/pages';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { type GameFacts, readGameFacts } from '../features/store/page-facts.ts';
import { isDatabaseAway } from '../kernel/db.ts';
import { identify } from './auth.ts';
import type { PageHead } from './page-head.ts';

export type Page = { readonly status: 200 | 404 | 503; readonly head: PageHead };

const SITE_SAYS =
  'Games by independent developers, each download with the record of where it came from and how it was scanned.';

/** 404 also for a game that the visitor may not see; 503 while that cannot be known. The page itself tries again then. */
export async function lookUpPage(ctx: Context, auth: Auth, request: FastifyRequest, path: string): Promise<Page> {
  const page = matchPage(path);
  const plain: PageHead = { title: '', description: SITE_SAYS, url: ctx.publicUrl + path };
  if (page === undefined) return { status: 404, head: { ...plain, isHidden: true } };
  const { uid } = page.params;
  if (uid === undefined || !path.startsWith('/g/')) return { status: 200, head: plain };
  try {
    const game = await findGame(ctx, auth, request, decode(uid));
    if (game === null) return { status: 404, head: { ...plain, isHidden: true } };
    return { status: 200, head: headOf(ctx, game, page.name === 'game') };
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return { status: 503, head: plain };
  }
}

async function findGame(ctx: Context, auth: Auth, request: FastifyRequest, uid: string): Promise<GameFacts | null> {
  if (findProblem(GameParams, { uid }) !== null) return null;
  return readGameFacts(ctx, await identify(ctx, auth, 'public', request), uid);
}

/** Of the pages of a game, search engines are to find the one that says what it is. */
function headOf(ctx: Context, game: GameFacts, isFirst: boolean): PageHead {
  const { name, developer, tagline, description, image, slug } = game;
  return {
    title: name,
    description: [tagline, description].filter((text) => text !== '').join(' – ') || `A game by ${developer}`,
    url: `${ctx.publicUrl}/g/${slug}`,
    ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: name } }),
    isHidden: game.visibility !== 'public' || !isFirst,
  };
}

/** What cannot be decoded is the name of nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
