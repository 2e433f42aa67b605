// The widget of a game: a small page that studios put into a frame on their own website. It is the only page that may
// be framed, so it is the same for all visitors of a website: it reads no cookie, shows nothing of an account, and has
// no form or script. Its styles are part of it, so that it appears at once. Their colours are those of
// packages/web/src/tokens.css.
import { hash } from 'node:crypto';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { listOsNames } from '@chauffeur/contract/store-format';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Context } from '../../context.ts';
import { countPublicRead } from '../../request/address-limit.ts';
import { chooseLanguage } from '../../request/negotiation.ts';
import { readReferrer } from '../../shop/statistics/statistics.ts';
import { redirectFormer } from '../former-addresses.ts';
import { type Texts, textsOf } from '../texts.ts';
import { sendHtml } from './document.ts';
import { asHtml, type Html, html } from './html.ts';
import { writePicture } from './parts.ts';
import { type PageProblem, problemOf } from './problem-pages.ts';
import type { PublicGame } from './structured-data.ts';
import type { Ask } from './visit.ts';

/** The image is above the text instead of next to it, as high as the text permits. */
const TALL = '(min-height: 240px) and (max-aspect-ratio: 5/4)';

const WIDGET_STYLE = `
:root { color-scheme: light dark }
:root[data-theme="light"] { color-scheme: light }
:root[data-theme="dark"] { color-scheme: dark }
* { box-sizing: border-box; margin: 0 }
body {
  height: 100vh; overflow: hidden; display: flex;
  border: 1px solid light-dark(#d5dae0, #333940); border-radius: 6px;
  background: light-dark(#fff, #16181b); color: light-dark(#14171a, #d6d9dd);
  font: 14px/1.4 system-ui, sans-serif;
}
a { color: inherit; text-decoration: none }
a:hover { text-decoration: underline }
a:focus-visible { outline: 2px solid light-dark(#1c6e8c, #62b2cf); outline-offset: 2px }
.picture { flex: none; width: min(45%, 178vh); background: light-dark(#f3f5f7, #22262b) }
.picture img { display: block; width: 100%; height: 100%; object-fit: cover }
.text { flex: 1; min-width: 0; padding: 14px 16px; display: flex; flex-direction: column; gap: 2px }
h1 { font-size: 18px; line-height: 1.25; color: light-dark(#000, #f3f5f7) }
h1, .by { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.by, .systems, .site { color: light-dark(#5b6269, #a2a9b1) }
.tagline {
  margin-top: 4px; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
}
.actions { margin-top: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px }
.button {
  padding: 7px 14px; border-radius: 6px; background: light-dark(#1c6e8c, #1f7fa1); color: #fff; font-weight: 600;
}
.button:hover { background: light-dark(#165a73, #1c6e8c); text-decoration: none }
.systems, .site { font-size: 12px }
.site { margin-left: auto }
.alone { margin: auto; padding: 16px; text-align: center }
@media (max-width: 419px) { .picture { width: 34% } .text { padding: 10px 12px } .tagline, .site { display: none } }
@media (max-width: 259px) { .picture { display: none } }
@media (max-height: 139px) { .tagline { display: none } .actions { row-gap: 4px } .button { padding-block: 5px } }
@media ${TALL} {
  body { flex-direction: column }
  .picture { display: block; flex: 1; width: 100%; min-height: 0 }
  .text { flex: none }
  .text:only-child { flex: 1; justify-content: center }
  h1 { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
  .actions { margin-top: 10px }
}
@media ${TALL} and (min-height: 300px) { .tagline { display: -webkit-box; -webkit-line-clamp: 3 } }
`;

/** The source of the style for Content-Security-Policy. */
const WIDGET_STYLE_SOURCE = `'sha256-${hash('sha256', WIDGET_STYLE, 'base64')}'`;

/** A game that becomes a draft disappears from other websites after this time. */
const KEPT_SECONDS = 300;
const THEMES: readonly unknown[] = ['light', 'dark'];
const PICTURE_SIZES = `${TALL} max(100vw, 100vh), (max-width: 419px) 34vw, 45vw`;

/** Any website may frame it. It loads an image, which may come from the bucket that stores them, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src ${WIDGET_STYLE_SOURCE}`,
  "img-src 'self' https:",
  "form-action 'none'",
  'frame-ancestors *',
  "base-uri 'none'",
].join('; ');

type Query = { readonly lang?: unknown; readonly theme?: unknown };
type WidgetRequest = FastifyRequest<{ Params: { uid: string } }>;

export function mountWidget(app: FastifyInstance, ctx: Context, ask: Ask): void {
  app.get('/g/:uid/widget', async (request: WidgetRequest, reply) => {
    const { lang, theme } = (request.query ?? {}) as Query;
    const texts = textsFor(request, lang);
    const look = THEMES.includes(theme) ? String(theme) : '';
    reply.header('vary', 'Accept-Encoding, Accept-Language, Referer').header('x-robots-tag', 'noindex');
    try {
      countPublicRead(ctx, request);
      if (await redirectFormer(ctx, ANONYMOUS, request, reply)) return reply;
      const game = await ask(getPublicGame, ANONYMOUS, { uid: request.params.uid });
      reply.header('cache-control', `public, max-age=${KEPT_SECONDS}`);
      const body = writeWidget(game, { publicUrl: ctx.publicUrl, referrer: readReferrer(ctx, request.headers), texts });
      return sendHtml(request, reply, writeDocument({ title: game.name, body, theme: look, texts }), POLICY);
    } catch (thrown) {
      return sendProblem(request, reply, problemFor(request, thrown), { theme: look, texts });
    }
  });
}

function textsFor({ headers }: FastifyRequest, lang: unknown): Texts {
  const named = typeof lang === 'string' ? lang : undefined;
  return textsOf(chooseLanguage({ lang: named, cookie: undefined, accepted: headers['accept-language'] }));
}

function problemFor(request: FastifyRequest, thrown: unknown): PageProblem {
  const problem = problemOf(thrown);
  if (problem.status >= 500) request.log.error({ err: thrown }, 'widget failed');
  return problem;
}

type Look = { readonly theme: string; readonly texts: Texts };

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, retrySeconds }: PageProblem,
  { theme, texts }: Look,
): Promise<FastifyReply> {
  const text = status === 404 ? texts.t('widget.none') : title(texts);
  reply.code(status).header('cache-control', 'no-store');
  if (retrySeconds !== undefined) reply.header('retry-after', String(retrySeconds));
  const body = html`<p class="alone">${text}</p>`;
  return sendHtml(request, reply, writeDocument({ title: text, body, theme, texts }), POLICY);
}

type Content = Look & { readonly title: string; readonly body: Html };

function writeDocument({ title, body, theme, texts }: Content): string {
  return html`<!doctype html>
<html lang="${texts.language}"${theme !== '' && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${asHtml(WIDGET_STYLE)}</style>
</head>
<body>${body}</body>
</html>
`.text;
}

type Shown = { readonly publicUrl: string; readonly referrer: string; readonly texts: Texts };

/**
 * All links lead to the page of the game, in a separate tab, and pass on the host of the website with the frame: to the
 * page, the visitor comes from here.
 */
function writeWidget(game: PublicGame, { publicUrl, referrer, texts }: Shown): Html {
  const { name, developer, tagline, downloads } = game;
  const image = game.cover ?? game.thumbnail ?? game.gallery[0] ?? null;
  const query = referrer === '' ? '' : `?${new URLSearchParams({ referrer })}`;
  const link = html`href="/g/${game.slug}${query}" target="_blank" rel="noopener"`;
  const action = downloads.some(({ os }) => os === 'web') ? 'play' : downloads.length > 0 ? 'download' : 'see';
  return html`${image !== null && html`<a class="picture" ${link} tabindex="-1" aria-hidden="true">${writePicture(image, { sizes: PICTURE_SIZES, alt: '' })}</a>`}
<main class="text">
<h1><a ${link}><bdi>${name}</bdi></a></h1>
<p class="by">${texts.html('by', { developer: html`<bdi>${developer}</bdi>` })}</p>
${tagline !== '' && html`<p class="tagline"><bdi>${tagline}</bdi></p>`}
<p class="actions"><a class="button" ${link}>${texts.t(`widget.${action}`)}</a><span class="systems">${listOsNames(downloads).join(' · ')}</span><span class="site">${new URL(publicUrl).host}</span></p>
</main>`;
}
