// The document of a public page: its frame with the header and the footer, the place of the page in the document that
// the build of the website wrote, and how it is sent. The website's other pages have the same header
// (packages/web/src/frame/Frame.tsx), with the same styles.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PAGES } from '@chauffeur/contract/pages';
import { PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WEBSITE_FOLDER } from '../../folders.ts';
import type { LegalLink } from '../../request/legal-pages.ts';
import { acceptsGzip } from '../../request/negotiation.ts';
import { matches } from '../../request/send-blob.ts';
import { fillHead, type PageHead } from '../page-head.ts';
import { type Texts, textsOf } from '../texts.ts';
import { asHtml, type Html, html } from './html.ts';
import { feedAddress, writeSearch } from './parts.ts';
import type { PublicPage } from './visit.ts';

/** Its name is also in the build of the website, packages/web/vite.config.ts. */
const TEMPLATE = 'public.html';
const SCHEME = '<script src="/scheme.js"></script>';
const COMMENTS = /^\s*\/\/.*\n/gm;
const MAIN_PLACE = '<!--page-->';

/** What a page may load in addition to its own files: frames of these origins, and videos of this site. */
export type PageNeeds = Pick<PublicPage, 'frames' | 'playsVideos'>;

export type PublicDocument = {
  fill(head: PageHead, body: Html): string;
  /** The Content-Security-Policy of a page. */
  policy(needs: PageNeeds): string;
};

export function readPublicDocument(): PublicDocument {
  const { document, scriptSource } = includeScheme(readFileSync(join(WEBSITE_FOLDER, TEMPLATE), 'utf8'));
  return {
    fill: (head, body) => fillHead(document, head).replace(MAIN_PLACE, () => body.text),
    policy: (needs) => policyOf(scriptSource, needs),
  };
}

/**
 * The script that sets the colour scheme becomes part of the page, which would otherwise wait for it. `scriptSource`
 * allows it in the Content-Security-Policy.
 */
export function includeScheme(template: string): { readonly document: string; readonly scriptSource: string } {
  const scheme = readFileSync(join(WEBSITE_FOLDER, 'scheme.js'), 'utf8').replaceAll(COMMENTS, '');
  return {
    document: template.replace(SCHEME, () => `<script>${scheme}</script>`),
    scriptSource: `'sha256-${hash('sha256', scheme, 'base64')}'`,
  };
}

/**
 * Only the site's own files. Images may come from the bucket that stores them, and the players of a page's videos from
 * their websites.
 */
function policyOf(scriptSource: string, { frames = [], playsVideos = false }: PageNeeds): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scriptSource}`,
    "style-src 'self'",
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    ...(playsVideos ? ["media-src 'self'"] : []),
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** The signed-in person. */
export type Visitor = { readonly name: string; readonly email: string; readonly isOperator: boolean };

type Frame = {
  readonly texts: Texts;
  readonly visitor: Visitor | null;
  /** The page that visitors without an account return to after they signed in. */
  readonly path: string;
  /** What the search field contains; null for a page with its own search. */
  readonly search: string | null;
  readonly legal: readonly LegalLink[];
};

export function writeFrame(main: Html, { texts, visitor, path, search, legal }: Frame): Html {
  return html`<a class="skip" href="#content">${texts.t('skip')}</a>
<header class="site-header"><div>
<a class="site-name" href="${PAGES.home}"><img src="/icon.svg" alt="" width="24" height="24"><span>Chauffeur</span></a>
<nav aria-label="${texts.t('site.navigation')}"><a href="${PAGES.browse}">${texts.t('site.browse')}</a><a href="${PAGES.games}">${texts.t('site.games')}</a><a href="${PAGES.docs}">${texts.t('site.docs')}</a></nav>
${search === null ? html`<span class="site-space"></span>` : writeSearch({ texts, q: search, where: 'header' })}
${visitor === null && html`<button type="button" class="site-theme" data-theme-switch data-needs-js aria-label="${texts.t('site.theme')}" title="${texts.t('site.theme')}">${HALF_DISC}</button>`}
<div class="site-person">${visitor === null ? writeSignIn(path, texts) : writePerson(visitor, texts)}</div>
</div></header>
<main id="content" class="site-main" tabindex="-1">
${main}
</main>
<footer class="site-footer"><div>
<span>${texts.t('site.promise')}</span>
<nav aria-label="${texts.t('site.more')}"><a href="${feedAddress('/feeds/games.atom', texts.language)}">${texts.t('site.feed')}</a><a href="${PAGES.docs}">${texts.t('site.documentation')}</a><a href="${PAGES.cli}">${texts.t('site.publish')}</a></nav>
${writeLegal(legal, texts)}
${writeLanguages(path, texts)}
</div></footer>
${writeWords(texts)}`;
}

function writeLegal(links: readonly LegalLink[], texts: Texts): Html | false {
  const items = links.map(({ label, url }) => html`<a href="${url}">${label}</a>`);
  return links.length > 0 && html`<nav aria-label="${texts.t('legal')}">${items}</nav>`;
}

/** Links to the same page in the other languages. The server keeps the choice in a cookie. */
function writeLanguages(path: string, texts: Texts): Html {
  const [pathname = '', query = ''] = path.split('?', 2);
  const links = PAGE_LANGUAGES.map((language) => {
    const parameters = new URLSearchParams(query);
    parameters.set('lang', language);
    const isCurrent = language === texts.language;
    return html`<a href="${pathname}?${parameters.toString()}" lang="${language}" hreflang="${language}" rel="nofollow"${isCurrent && html` aria-current="true"`}>${textsOf(language).t('language')}</a>`;
  });
  return html`<nav aria-label="${texts.t('site.languages')}">${links}</nav>`;
}

/** What the scripts of the page say (packages/web/src/site/page-parts.ts). */
function writeWords(texts: Texts): Html {
  const words = SCRIPT_WORDS.map((key) => [key, texts.template(key)]);
  return html`<div id="words" hidden data-words="${JSON.stringify(Object.fromEntries(words))}"></div>`;
}

function writeSignIn(path: string, texts: Texts): Html {
  const signIn = path === PAGES.home ? PAGES.signIn : `${PAGES.signIn}?${new URLSearchParams({ next: path })}`;
  return html`<a href="${signIn}">${texts.t('site.signIn')}</a><a class="button small filled" href="${PAGES.signUp}">${texts.t('site.signUp')}</a>`;
}

/** A popover of the browser: Escape and a click elsewhere close it. */
function writePerson({ name, email, isOperator }: Visitor, texts: Texts): Html {
  const initial = [...name.trim()][0]?.toUpperCase() ?? '?';
  const item = (path: string, label: string) => html`<a class="account-item" href="${path}">${label}</a>`;
  const scheme = (value: (typeof SCHEMES)[number]) =>
    html`<button type="button" class="button small" data-theme="${value}" aria-pressed="false">${texts.t(`account.theme.${value}`)}</button>`;
  return html`<button type="button" class="account-button" popovertarget="account" title="${email}" data-initial="${initial}"><span class="account-label">${texts.t('account.label')} </span><span class="account-name">${name}</span></button>
<div id="account" popover="auto" class="account-menu">
<div class="account-person"><strong>${name}</strong><span>${email}</span></div>
<nav aria-label="${texts.t('account')}">${item(PAGES.games, texts.t('site.games'))}${item(PAGES.profile, texts.t('account.settings'))}${isOperator && item(PAGES.operator, texts.t('account.operator'))}</nav>
<fieldset class="account-scheme" data-needs-js><legend>${texts.t('account.theme')}</legend>${SCHEMES.map(scheme)}</fieldset>
<button type="button" class="button small wide" data-sign-out data-needs-js>${texts.t('account.signOut')}</button>
</div>`;
}

const SCHEMES = ['auto', 'light', 'dark'] as const;

const SCRIPT_WORDS = [
  ...(['copy', 'copied', 'copy.failed', 'beta.failed', 'beta.unreachable', 'game.images', 'game.image'] as const),
  ...(['game.image.enlarge', 'viewer.previous', 'viewer.next', 'viewer.close', 'viewer.place'] as const),
  ...(['offline', 'field.mistake.email', 'field.mistake.empty', 'field.mistake.unchosen'] as const),
];

const HALF_DISC = asHtml(
  '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>',
);

/** Smaller responses fit into one packet anyway. */
const MIN_GZIP_LENGTH = 1000;
const compress = promisify(gzip);

/** `policy` is its Content-Security-Policy. Only a document with status 200 is tagged. */
export async function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  policy: string,
): Promise<FastifyReply> {
  const isGzipped = text.length >= MIN_GZIP_LENGTH && acceptsGzip(request.headers['accept-encoding']);
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 27)}${isGzipped ? '-gz' : ''}"`;
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'strict-origin-when-cross-origin');
  if (reply.statusCode === 200) {
    reply.header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  return isGzipped ? reply.header('content-encoding', 'gzip').send(await compress(text)) : reply.send(text);
}
