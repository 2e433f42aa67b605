// Serves robots.txt and the sitemap of the public pages.
import { DOC_PAGES } from '@chauffeur/contract/docs';
import { PAGES } from '@chauffeur/contract/pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { countPublicAddresses } from '../shop/store/browse.sql.ts';
import { listPublicAddresses } from '../shop/store/store.ts';
import { ADDRESSES_PER_PAGE, type Address, writeRobots, writeSitemap, writeSitemapIndex } from './sitemap.ts';

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
