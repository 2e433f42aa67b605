// Finds out whether a page of the website's program exists and what its head contains, before its script runs. The
// public pages, which the server writes itself, are in pages/.

import { isError } from '@chauffeur/contract/errors';
import { GameParams } from '@chauffeur/contract/operations/fields';
import { matchPage, type PageName, PLAYER_PAGES } from '@chauffeur/contract/pages';
import type { MessageKey } from '@chauffeur/contract/texts/messages';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../context.ts';
import { identify } from '../http/identify.ts';
import { isDatabaseAway } from '../kernel/database/db.ts';
import { plainTextOf } from '../kernel/text/markdown.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import { type GameFacts, readGameFacts } from '../shop/store/store.ts';
import { redirectFormer } from './former-addresses.ts';
import type { PageHead } from './page-head.ts';
import { type Texts, textsOf } from './texts.ts';

export type Page = {
  readonly status: 200 | 404 | 503;
  readonly head: PageHead;
  /** Whether the page is isolated from other sites, which a game with threads needs. */
  readonly isIsolated: boolean;
};

/** The page of a renamed game is at another address. */
export type MovedPage = { readonly status: 301 };

const CLI_DESCRIPTION = 'Install the command that ships builds, symbols and store images from a terminal or from CI.';

type Visit = {
  ctx: Context;
  caller: Caller;
  path: string;
  params: Readonly<Record<string, string>>;
  texts: Texts;
};

type Wanted = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
  /** The texts in the language that the visitor wants. */
  readonly wanted: Texts;
};

/** Finds the head of a page; null if the page does not exist for this visitor. */
const HEADS: { readonly [Name in PageName]?: (visit: Visit) => Promise<PageHead | null> } = {
  play: (visit) => headOfGame(visit, 'play.title'),
  reportBug: (visit) => headOfGame(visit, 'bug.title'),
  cli: async ({ ctx }) => ({ title: 'Install chauffeur', description: CLI_DESCRIPTION, url: `${ctx.publicUrl}/cli` }),
};

/** The titles of pages for players, which are in their language. */
const PLAYER_TITLES: { readonly [Name in PageName]?: MessageKey } = {
  signIn: 'signIn.title',
  signUp: 'signUp.title',
  verify: 'verify.title',
  reset: 'reset.title',
};

/**
 * The titles of the other pages until their script has loaded. They are personal, and not indexed by search engines.
 */
const TITLES: { readonly [Name in PageName]?: string } = {
  cliLogin: 'Sign in to the command',
  setup: 'Set up Chauffeur',
  profile: 'Profile',
  security: 'Security',
  agentKeys: 'Personal keys',
  agents: 'Connected agents',
  consent: 'Allow access',
  approve: 'Approval',
  invitation: 'Invitation',
  organisation: 'Organisation',
  organisationAudit: 'Audit log',
  operatorAudit: 'Audit log',
  unsubscribe: 'Unsubscribe',
  operator: 'Operator',
  operatorJobs: 'Failed jobs',
  operatorUsers: 'Users',
  operatorStore: 'Store',
  operatorGames: 'Storage by game',
  operatorSettings: 'Settings',
  operatorSetup: 'Installation',
  games: 'Your games',
  overview: 'Overview',
  builds: 'Builds',
  build: 'Build',
  buildCompare: 'Compare builds',
  channels: 'Channels',
  crashes: 'Crashes',
  crashGroup: 'Crash group',
  crashReport: 'Crash report',
  crashCompare: 'Compare reports',
  alertAction: 'Link from an alert',
  bugs: 'Bugs',
  bug: 'Bug',
  health: 'Health',
  events: 'Events',
  statistics: 'Statistics',
};

/**
 * Returns 404 also for a game that the visitor may not see, and 503 if that cannot be determined; the page then
 * retries. A redirect, with 301, is already sent.
 */
export async function lookUpPage(
  ctx: Context,
  auth: Auth,
  { request, reply, path, wanted }: Wanted,
): Promise<Page | MovedPage> {
  const page = matchPage(path);
  const isIsolated = page?.name === 'play';
  const texts = page !== undefined && PLAYER_PAGES.has(page.name) ? wanted : textsOf('en');
  const { language } = texts;
  const plain: PageHead = {
    title: titleOf(page?.name, texts),
    description: '',
    url: ctx.publicUrl + path,
    isHidden: true,
    language,
  };
  if (page === undefined) return { status: 404, head: plain, isIsolated };
  const look = HEADS[page.name];
  if (look === undefined) return { status: 200, head: plain, isIsolated };
  try {
    const params = Object.fromEntries(Object.entries(page.params).map(([name, value]) => [name, decode(value)]));
    const caller = await identify(ctx, auth, { access: 'public' }, request);
    if (await redirectFormer(ctx, caller, request, reply)) return { status: 301 };
    const head = await look({ ctx, caller, path, params, texts });
    if (head === null) return { status: 404, head: plain, isIsolated };
    return { status: 200, head, isIsolated };
  } catch (error) {
    const isHidden = isError(error, 'strongerSignInNeeded') || isError(error, 'notFound');
    if (isHidden) return { status: 404, head: plain, isIsolated };
    if (!isDatabaseAway(error)) throw error;
    return { status: 503, head: plain, isIsolated };
  }
}

function titleOf(name: PageName | undefined, texts: Texts): string {
  const key = name && PLAYER_TITLES[name];
  return key === undefined ? ((name && TITLES[name]) ?? 'Settings') : texts.t(key);
}

/** Of a game's pages, search engines should index only the store page. */
async function headOfGame(
  { ctx, caller, params, texts }: Visit,
  title: 'play.title' | 'bug.title',
): Promise<PageHead | null> {
  const { uid = '' } = params;
  if (findProblem(GameParams, { uid }) !== null) return null;
  const game = await readGameFacts(ctx, caller, uid);
  if (game === null) return null;
  const { name, developer, tagline, description, image, slug } = game;
  return {
    title: texts.t(title, { game: name }),
    description:
      [tagline, plainTextOf(description)].filter((text) => text !== '').join(' – ') ||
      texts.t('game.description', { developer }),
    url: `${ctx.publicUrl}/g/${slug}`,
    ...imageOf(image, name),
    isHidden: true,
    language: texts.language,
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
