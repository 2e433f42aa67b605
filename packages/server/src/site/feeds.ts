// Serves Atom feeds (RFC 4287) of new games, and of the releases of each game.
import { hash } from 'node:crypto';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { formatReleasePart } from '@chauffeur/contract/texts/download-texts';
import { asLanguage, type Language } from '@chauffeur/contract/texts/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Context } from '../context.ts';
import { identify } from '../http/identify.ts';
import { escapeHtml } from '../kernel/text/escape-html.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { matches } from '../request/send-blob.ts';
import { countFixedIn } from '../shop/bugs/bugs.sql.ts';
import { latestReleases, type Release } from '../shop/store/releases.ts';
import { listShelf } from '../shop/store/store.ts';
import { redirectFormer } from './former-addresses.ts';
import { html } from './pages/html.ts';
import { feedAddress } from './pages/parts.ts';

const SHARED_SECONDS = 300;

/** Their addresses are also in the head of the home page and of each game's page. */
export function mountFeeds(app: FastifyInstance, ctx: Context, auth: Auth): void {
  app.get('/feeds/games.atom', async (request, reply) => {
    countPublicRead(ctx, request);
    return send(request, reply, await readNewGames(ctx, languageOfFeed(request)), true);
  });
  app.get<{ Params: { uid: string } }>('/g/:uid/releases.atom', async (request, reply) => {
    countPublicRead(ctx, request);
    const caller = await identify(ctx, auth, { access: 'public' }, request);
    if (await redirectFormer(ctx, caller, request, reply)) return reply;
    reply.header('vary', 'Cookie, X-Access-Token');
    return send(
      request,
      reply,
      await readReleases(ctx, caller, request.params.uid, languageOfFeed(request)),
      caller === ANONYMOUS,
    );
  });
}

function send(request: FastifyRequest, reply: FastifyReply, feed: Feed, isShared: boolean): FastifyReply {
  const text = writeFeed(feed);
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
  reply
    .header('content-type', 'application/atom+xml; charset=utf-8')
    .header('etag', etag)
    .header('cache-control', isShared ? `public, max-age=${SHARED_SECONDS}` : 'private, no-cache');
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(text);
}

/** Only the address decides, so that a feed reader gets the same language each time. */
function languageOfFeed({ query }: FastifyRequest): Language {
  const { lang } = query as { lang?: unknown };
  return asLanguage(typeof lang === 'string' ? lang : '');
}

async function readNewGames(ctx: Context, language: Language): Promise<Feed> {
  const { publicUrl } = ctx;
  const games = await listShelf(ctx, 'new');
  return {
    id: `${publicUrl}/feeds/games.atom`,
    title: textsOf(language).t('home.feed'),
    page: `${publicUrl}/`,
    self: feedAddress(`${publicUrl}/feeds/games.atom`, language),
    entries: games.map((game): Entry => {
      const url = `${publicUrl}/g/${game.slug}`;
      const image = game.cover ?? game.thumbnail;
      const { text: content } =
        html`${image !== null && html`<p><img src="${image.url}" alt=""></p>`}<p>${game.tagline}</p>`;
      const { game_uid, name, developer, published_at } = game;
      return { id: `urn:uuid:${game_uid}`, title: name, url, author: developer, at: new Date(published_at), content };
    }),
  };
}

async function readReleases(
  ctx: Context,
  caller: Parameters<typeof latestReleases>[1],
  ref: string,
  language: Language,
): Promise<Feed> {
  const { game, developer, releases } = await latestReleases(ctx, caller, ref);
  const page = `${ctx.publicUrl}/g/${game.slug}`;
  const versions = releases.map(({ version }) => version);
  const fixed = await countFixedIn(ctx.db, game.game_id, versions);
  return {
    id: `urn:uuid:${game.game_id}`,
    title: textsOf(language).t('game.releases', { game: game.name }),
    page,
    self: feedAddress(`${page}/releases.atom`, language),
    entries: releases.map((release) => ({
      id: `urn:uuid:${game.game_id}#${encodeURIComponent(release.version)}`,
      title: `${game.name} ${release.version}`,
      url: page,
      author: developer,
      at: release.releasedAt,
      content: writeRelease(release, fixed.get(release.version) ?? 0, textsOf(language)),
    })),
  };
}

/** `fixed` is the number of bug tickets that were fixed in the release. */
function writeRelease({ titles, changes }: Release, fixed: number, texts: ReturnType<typeof textsOf>): string {
  const items = changes.map(
    (change) =>
      html`<li><strong>${formatReleasePart(texts, change)}</strong>${change.description !== '' && html`<br>${change.description}`}</li>`,
  );
  return html`${titles.map((title) => html`<p>${formatReleasePart(texts, title)}</p>`)}${items.length > 0 && html`<ul>${items}</ul>`}${fixed > 0 && html`<p>${texts.t('game.release.fixed', { count: fixed })}</p>`}`
    .text;
}

type Feed = {
  /** A URI that never changes. */
  readonly id: string;
  readonly title: string;
  /** The page that the feed belongs to. */
  readonly page: string;
  /** The feed itself. */
  readonly self: string;
  readonly entries: readonly Entry[];
};

type Entry = {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly author: string;
  readonly at: Date;
  /** HTML, in which texts are escaped. */
  readonly content: string;
};

/** XML 1.0 has no way to write these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

export function writeFeed({ id, title, page, self, entries }: Feed): string {
  const newest = Math.max(0, ...entries.map(({ at }) => at.getTime()));
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escapeXml(id)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>`,
    `<updated>${new Date(newest).toISOString()}</updated>`,
    ...entries.map(writeEntry),
    '</feed>',
  ].join('\n')}\n`;
}

function writeEntry({ id, title, url, author, at, content }: Entry): string {
  const time = at.toISOString();
  return [
    '<entry>',
    `<id>${escapeXml(id)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>`,
    `<author><name>${escapeXml(author)}</name></author>`,
    `<published>${time}</published><updated>${time}</updated>`,
    `<content type="html">${escapeXml(content)}</content>`,
    '</entry>',
  ].join('');
}

function escapeXml(text: string): string {
  return escapeHtml(text.replace(NOT_XML, '\ufffd'));
}
