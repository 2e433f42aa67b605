// The widget of a game: a small page that studios put into a frame on their own website. It is the only page that may
// be framed, so it is the same for all visitors of a website: it reads no cookie, shows nothing of an account, and has
// no form or script.
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { listOsNames } from '@chauffeur/contract/store-format';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Context } from '../../context.ts';
import { countPublicRead } from '../../request/address-limit.ts';
import { chooseLanguage } from '../../request/choose-language.ts';
import { readReferrer } from '../../shop/statistics/statistics.ts';
import { redirectFormer } from '../former-addresses.ts';
import type { Ask } from './ask.ts';
import { asHtml, type Html, html } from './html.ts';
import { writePicture } from './parts.ts';
import { type Problem, problemOf } from './problem-pages.ts';
import { sendHtml } from './send-html.ts';
import type { PublicGame } from './structured-data.ts';
import { type Texts, textsOf } from './texts/texts.ts';
import { TALL, WIDGET_STYLE, WIDGET_STYLE_SOURCE } from './widget-style.ts';

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

function problemFor(request: FastifyRequest, thrown: unknown): Problem {
  const problem = problemOf(thrown);
  if (problem.status >= 500) request.log.error({ err: thrown }, 'widget failed');
  return problem;
}

type Look = { readonly theme: string; readonly texts: Texts };

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, retrySeconds }: Problem,
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
