// Finds out whether a page exists and what its head contains, before its script runs.
import { findHandleProblem } from '@chauffeur/contract/handle';
import { GameParams } from '@chauffeur/contract/operations/fields';
import { matchPage, type PageName } from '@chauffeur/contract/pages';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { type GameFacts, readDeveloperFacts, readGameFacts } from '../features/store/store.ts';
import { isDatabaseAway } from '../kernel/database/db.ts';
import { identify } from './auth.ts';
import type { PageHead } from './page-head.ts';

export type Page = {
  readonly status: 200 | 404 | 503;
  readonly head: PageHead;
  /** Whether the page is isolated from other sites, which a game with threads needs. */
  readonly isIsolated: boolean;
};

const CLI_DESCRIPTION = 'Install the command that ships builds, symbols and store images from a terminal or from CI.';
const SITE_DESCRIPTION =
  'Games by independent developers. Every download shows where it came from and how it was scanned.';

type Visit = {
  ctx: Context;
  auth: Auth;
  request: FastifyRequest;
  path: string;
  params: Readonly<Record<string, string>>;
};

/** Finds the head of a page; null if the page does not exist for this visitor. All other pages share one head. */
const HEADS: { readonly [Name in PageName]?: (visit: Visit) => Promise<PageHead | null> } = {
  game: (visit) => headOfGame(visit, true),
  file: (visit) => headOfGame(visit, false),
  play: (visit) => headOfGame(visit, false),
  reportBug: (visit) => headOfGame(visit, false),
  developer: headOfDeveloper,
  cli: async ({ ctx }) => ({ title: 'Install chauffeur', description: CLI_DESCRIPTION, url: `${ctx.publicUrl}/cli` }),
};

/**
 * Returns 404 also for a game that the visitor may not see, and 503 if that cannot be determined; the page then
 * retries.
 */
export async function lookUpPage(ctx: Context, auth: Auth, request: FastifyRequest, path: string): Promise<Page> {
  const page = matchPage(path);
  const isIsolated = page?.name === 'play';
  const plain: PageHead = { title: '', description: SITE_DESCRIPTION, url: ctx.publicUrl + path };
  if (page === undefined) return { status: 404, head: { ...plain, isHidden: true }, isIsolated };
  const look = HEADS[page.name];
  if (look === undefined) return { status: 200, head: plain, isIsolated };
  try {
    const params = Object.fromEntries(Object.entries(page.params).map(([name, value]) => [name, decode(value)]));
    const head = await look({ ctx, auth, request, path, params });
    if (head === null) return { status: 404, head: { ...plain, isHidden: true }, isIsolated };
    return { status: 200, head, isIsolated };
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return { status: 503, head: plain, isIsolated };
  }
}

/** Of a game's pages, search engines should index only the main one. */
async function headOfGame({ ctx, auth, request, params }: Visit, isFirst: boolean): Promise<PageHead | null> {
  const { uid = '' } = params;
  if (findProblem(GameParams, { uid }) !== null) return null;
  const game = await readGameFacts(ctx, await identify(ctx, auth, { access: 'public' }, request), uid);
  if (game === null) return null;
  const { name, developer, tagline, description, image, slug } = game;
  return {
    title: name,
    description: [tagline, description].filter((text) => text !== '').join(' – ') || `A game by ${developer}`,
    url: `${ctx.publicUrl}/g/${slug}`,
    ...imageOf(image, name),
    isHidden: game.visibility !== 'public' || !isFirst,
  };
}

async function headOfDeveloper({ ctx, params: { handle = '' } }: Visit): Promise<PageHead | null> {
  if (findHandleProblem(handle) !== null) return null;
  const developer = await readDeveloperFacts(ctx, handle);
  if (developer === null) return null;
  const { name, image } = developer;
  return {
    title: name,
    description: `Games by ${name}`,
    url: `${ctx.publicUrl}/@${handle}`,
    ...imageOf(image, name),
    // A developer without a game has nothing to index yet.
    isHidden: !developer.hasGames,
  };
}

function imageOf(image: GameFacts['image'], alt: string): Pick<PageHead, 'image'> {
  return image === null ? {} : { image: { url: image.url, width: image.width, height: image.height, alt } };
}

/** Returns '' for a part that cannot be decoded, which matches nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
