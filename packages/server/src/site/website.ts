// Serves the website: its built files, the public pages as documents and, for every other page, the document that
// starts the website's program, with a head for this request. This is the entry of the site; the styles and scripts of
// the public pages are in packages/web/src/site.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchPage, PAGES, PAGES_WITH_TEXTS } from '@chauffeur/contract/pages';
import { writeProgramTexts } from '@chauffeur/contract/texts/catalogue';
import { isLanguage, type Language } from '@chauffeur/contract/texts/messages';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { WEBSITE_FOLDER } from '../folders.ts';
import type { Pages } from '../http/server.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { legalLinks } from '../request/legal-pages.ts';
import { keepLanguage, languageOf, prefersJson } from '../request/negotiation.ts';
import { frameSource, probeSource } from '../request/origins.ts';
import type { Route } from '../request/route.ts';
import { cliFolderOf, readCliRelease, writeInstallScript } from '../ship/cli/cli.ts';
import { mountCrawlers } from './crawlers.ts';
import { mountDocs } from './docs.ts';
import { mountFeeds } from './feeds.ts';
import { fillHead } from './page-head.ts';
import { lookUpPage } from './page-lookup.ts';
import { includeScheme, sendHtml } from './pages/document.ts';
import { type Html, html } from './pages/html.ts';
import { mountPublicPages } from './pages/public-pages.ts';
import { type Texts, textsOf } from './texts.ts';

/** The folder of files whose names change with their content. */
const UNCHANGING = '/assets/';
const YEAR_SECONDS = 31_536_000;
const MINUTES_SECONDS = 300;
/** Paths that don't belong to pages: of programs, and of files that pages load. */
const OTHERS = /^\/(api|v1|auth|play|mcp|\.well-known|health|ready|metrics|assets)(\/|$)/;

/** Pages without the font of headings (packages/web/src/frame/Frame.module.css). */
const TOOLS = /^\/(dev|operator)(\/|$)/;
const FONT = /<link rel="preload"[^>]*as="font"[^>]*>\s*/;
const NO_SCRIPT = /<noscript>[^<]*<\/noscript>/;
/** Where the texts of the program are in the document that starts it. */
const TEXTS_PLACE = '<script type="application/json" id="texts">';
/** Where the links to the operator's own pages are in it. */
const LEGAL_PLACE = '<script type="application/json" id="legal">';

/** Mounts only the root page and the command if the website was not built, and then returns undefined. */
export function mountWebsite(
  app: FastifyInstance,
  ctx: Context,
  auth: Auth,
  routes: readonly Route[],
): Pages | undefined {
  mountCli(app, ctx);
  const template = readDocument();
  if (template === undefined) {
    app.get('/', async (_request, reply) => reply.header('content-type', 'text/html; charset=utf-8').send(ROOT_PAGE));
    return undefined;
  }
  const { document, scriptSource } = includeScheme(template);
  mountFiles(app);
  mountFormerPages(app);
  mountCrawlers(app, ctx);
  mountFeeds(app, ctx, auth);
  const shared = textsOn('all pages');
  const all = textsOn('pages with texts');
  const legal = { en: writeLegal(ctx, 'en'), de: writeLegal(ctx, 'de') };
  const pages = mountPublicPages(app, ctx, auth, routes);
  mountDocs(app, ctx, pages);
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      countPublicRead(ctx, request);
    } catch (error) {
      return pages.sendProblem(request, reply, error);
    }
    const { wanted, named } = languagesOf(request);
    const path = pathOf(request);
    const found = await lookUpPage(ctx, auth, { request, reply, path, wanted: textsOf(wanted) });
    if (found.status === 301) return reply;
    const { status, head, isIsolated } = found;
    if (status === 404) return pages.sendNotFound(request, reply);
    const nonce = randomBytes(16).toString('base64url');
    if (isIsolated) isolate(reply);
    if (named !== undefined) reply.header('set-cookie', keepLanguage(named));
    const first = `<meta name="style-nonce" content="${nonce}">\n    <meta name="language" content="${wanted}">`;
    const { language = 'en' } = head;
    const page = matchPage(path);
    const texts = page !== undefined && PAGES_WITH_TEXTS.has(page.name) ? all : shared;
    const text = fillHead(TOOLS.test(path) ? document.replace(FONT, '') : document, head, first)
      .replace(NO_SCRIPT, () => writeNoScript(textsOf(language)).text)
      .replace(TEXTS_PLACE, () => TEXTS_PLACE + texts[language])
      .replace(LEGAL_PLACE, () => LEGAL_PLACE + legal[language]);
    // A draft is visible to its members only.
    reply.code(status).header('cache-control', 'private, no-cache');
    return sendHtml(
      request,
      reply,
      text,
      policyOf(nonce, scriptSource, { frames: frameSource(ctx), probes: probeSource(ctx) }),
    );
  };
  return {
    wants: (request) =>
      ['GET', 'HEAD'].includes(request.method) && !OTHERS.test(pathOf(request)) && !prefersJson(request.headers),
    send,
  };
}

/** Bookmarks of pages whose address has changed still work. */
function mountFormerPages(app: FastifyInstance): void {
  const parts = ['/dev/:uid/edit', '/dev/:uid/edit/:part'];
  for (const path of parts)
    app.get<{ Params: { uid: string; part?: string } }>(path, ({ params: { uid, part }, url }, reply) => {
      const settings = PAGES.settings.replace(':uid', () => encodeURIComponent(uid));
      const name = part === 'images' ? 'media' : part;
      const query = /\?.*$/s.exec(url)?.[0] ?? '';
      return reply.redirect(settings + (name === undefined ? '' : `/${encodeURIComponent(name)}`) + query, 308);
    });
}

function mountFiles(app: FastifyInstance): void {
  const files = {
    index: false,
    // One route per file, so that other paths do not cause lookups on disk.
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    decorateReply: false,
  } as const;
  const packed = ['**/*.br', '**/*.gz'];
  app.register(fastifyStatic, {
    ...files,
    root: join(WEBSITE_FOLDER, UNCHANGING),
    prefix: UNCHANGING,
    globIgnore: packed,
    // Browsers ask neither for such a file again, nor for a part of it.
    etag: false,
    lastModified: false,
    acceptRanges: false,
    // Browsers and caches keep the headers too, and the id of an earlier request would mislead.
    setHeaders: (reply) =>
      reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`).removeHeader('x-request-id'),
  });
  app.register(fastifyStatic, {
    ...files,
    root: WEBSITE_FOLDER,
    globIgnore: [...packed, 'index.html', 'public.html', 'docs/**', 'assets/**'],
    setHeaders: (reply) => reply.header('cache-control', `public, max-age=${MINUTES_SECONDS}`),
  });
}

function textsOn(pages: Parameters<typeof writeProgramTexts>[1]): Record<Language, string> {
  return { en: writeProgramTexts('en', pages), de: writeProgramTexts('de', pages) };
}

/** JSON that is safe within a script element. */
function writeLegal({ config }: Context, language: Language): string {
  return JSON.stringify(legalLinks(config, language)).replaceAll('<', '\\u003c');
}

function readDocument(): string | undefined {
  try {
    return readFileSync(`${WEBSITE_FOLDER}index.html`, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The language that a visitor wants, and what the address names. */
function languagesOf({ query, headers }: FastifyRequest): { wanted: Language; named: Language | undefined } {
  const { lang } = (query ?? {}) as { lang?: string };
  const named = isLanguage(lang) ? lang : undefined;
  return { wanted: named ?? languageOf(headers), named };
}

/** The program has no other content without JavaScript. */
function writeNoScript(texts: Texts): Html {
  const message = texts.html('noScript', { link: (text) => html`<a href="${PAGES.browse}">${text}</a>` });
  return html`<noscript><div class="no-script"><a href="${PAGES.home}"><img src="/icon.svg" alt="Chauffeur" width="24" height="24"></a><p>${message}</p></div></noscript>`;
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}

/**
 * Engines with threads need a page that shares its process with no other site (HTML Standard, cross-origin isolation).
 * `credentialless` lets the game load anything from elsewhere, but without cookies; browsers that do not support it run
 * the game without threads.
 */
function isolate(reply: FastifyReply): void {
  reply.header('cross-origin-opener-policy', 'same-origin').header('cross-origin-embedder-policy', 'credentialless');
}

/**
 * Allows only the site's own scripts (CSP Level 3). The component library writes its variables into style elements,
 * which the nonce permits. Images may come from the bucket that stores them, and only games may be framed.
 */
function policyOf(
  nonce: string,
  scriptSource: string,
  { frames, probes }: { readonly frames: string; readonly probes: string },
): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scriptSource}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https:",
    `connect-src 'self' ${probes}`.trim(),
    "font-src 'self'",
    "media-src 'self'",
    `frame-src ${frames}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** The root page of a server without the website: says that the service runs, and links to its API. */
const ROOT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chauffeur</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
code { font-size: 0.9em; }
</style>
</head>
<body>
<main>
<h1>Chauffeur is running</h1>
<p>Upload builds of your game with the <code>chauffeur</code> command and a deploy key.</p>
<ul>
<li><a href="/api/v1/openapi.json">API description</a> (OpenAPI 3.1)</li>
<li><a href="/ready">Server status</a></li>
</ul>
</main>
</body>
</html>
`;

/** The files that a folder of the command can have. In a checkout, one is added while the server runs. */
const FILES = /^\/(command\.json|SHA256SUMS|chauffeur\.tgz|chauffeur-[a-z0-9]+-[a-z0-9]+\.gz)$/;

/** Mounts nothing if this server does not offer the command. */
function mountCli(app: FastifyInstance, ctx: Context): void {
  if (readCliRelease(ctx) === null) return;
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => countPublicRead(ctx, request));
    scope.get('/cli/install.sh', async (_request, reply) =>
      reply.type('text/x-shellscript; charset=utf-8').send(await writeInstallScript(ctx, 'sh')),
    );
    scope.get('/cli/install.ps1', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(await writeInstallScript(ctx, 'powershell')),
    );
    scope.register(fastifyStatic, {
      root: cliFolderOf(ctx),
      prefix: '/cli/',
      index: false,
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => FILES.test(path),
      // The names stay the same in the next version.
      setHeaders: (reply) => reply.header('cache-control', 'public, no-cache'),
    });
  });
}
