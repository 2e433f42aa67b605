// Serves robots.txt (RFC 9309) and the sitemap of the public pages (sitemaps.org, version 0.9).
import { DOC_PAGES } from '@chauffeur/contract/docs';
import { PAGES } from '@chauffeur/contract/pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { escapeHtml } from '../kernel/text/escape-html.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { countPublicAddresses } from '../shop/store/browse.sql.ts';
import { listPublicAddresses } from '../shop/store/store.ts';

const KEPT_SECONDS = 3600;
/** The pages that exist regardless of any games. */
const OWN_PAGES = [
  PAGES.home,
  PAGES.browse,
  PAGES.cli,
  PAGES.docs,
  ...DOC_PAGES.map(({ page }) => `${PAGES.docs}/${page}`),
];

/**
 * Parts of the sitemap are at `/sitemap/1.xml` and so on. `/sitemap.xml` is the only part, or an index of all parts.
 */
export function mountCrawlers(app: FastifyInstance, ctx: Context): void {
  const { publicUrl } = ctx;
  app.get('/robots.txt', async (_request, reply) => keep(reply, 'text/plain').send(writeRobots(publicUrl)));
  app.get('/sitemap.xml', async (request, reply) => {
    countPublicRead(ctx, request);
    const pages = Math.ceil((await countPublicAddresses(ctx.db)) / ADDRESSES_PER_PAGE);
    const urls = Array.from({ length: pages }, (_, index) => `${publicUrl}/sitemap/${index + 1}.xml`);
    return keep(reply, 'application/xml').send(pages > 1 ? writeSitemapIndex(urls) : await writePage(ctx, 1));
  });
  app.get<{ Params: { page: string } }>('/sitemap/:page', async (request, reply) => {
    countPublicRead(ctx, request);
    const [, page] = /^([1-9]\d{0,5})\.xml$/.exec(request.params.page) ?? [];
    return page === undefined
      ? reply.callNotFound()
      : keep(reply, 'application/xml').send(await writePage(ctx, Number(page)));
  });
}

async function writePage(ctx: Context, page: number): Promise<string> {
  const addresses = await listPublicAddresses(ctx, page, ADDRESSES_PER_PAGE);
  const first = page === 1 ? OWN_PAGES.map((path): Address => ({ url: ctx.publicUrl + path })) : [];
  return writeSitemap([
    ...first,
    ...addresses.map(({ path, changedAt, images }) => ({ url: ctx.publicUrl + path, changedAt, images })),
  ]);
}

function keep(reply: FastifyReply, contentType: string): FastifyReply {
  return reply
    .header('content-type', `${contentType}; charset=utf-8`)
    .header('cache-control', `public, max-age=${KEPT_SECONDS}`);
}

/** A sitemap may have 50,000 URLs; a smaller one is generated faster. */
const ADDRESSES_PER_PAGE = 10_000;

/** Personal pages are useless to search engines. What public pages are made of, such as images, is not blocked. */
export function writeRobots(publicUrl: string): string {
  return [
    'User-agent: *',
    'Allow: /api/v1/public/',
    'Disallow: /api/',
    'Disallow: /dev',
    'Disallow: /play/',
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

type Address = { readonly url: string; readonly changedAt?: Date; readonly images?: readonly string[] };

export function writeSitemap(addresses: readonly Address[]): string {
  return listOf(
    'urlset',
    addresses.map(({ url, changedAt, images = [] }) => {
      const changed = changedAt === undefined ? '' : `<lastmod>${changedAt.toISOString()}</lastmod>`;
      const pictures = images.map((image) => `<image:image><image:loc>${escapeHtml(image)}</image:loc></image:image>`);
      return `<url><loc>${escapeHtml(url)}</loc>${changed}${pictures.join('')}</url>`;
    }),
  );
}

/** Google's extension for images, which Bing reads too. */
const IMAGES = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

/** The index of sitemaps, for a site with more URLs than fit into one. */
export function writeSitemapIndex(urls: readonly string[]): string {
  return listOf(
    'sitemapindex',
    urls.map((url) => `<sitemap><loc>${escapeHtml(url)}</loc></sitemap>`),
  );
}

function listOf(element: string, lines: readonly string[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${IMAGES}>`,
    ...lines,
    `</${element}>`,
    '',
  ].join('\n');
}
