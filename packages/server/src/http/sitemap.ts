// Writes robots.txt (RFC 9309) and sitemaps (sitemaps.org, version 0.9).
import { escapeHtml } from '../kernel/text/escape-html.ts';

/** A sitemap may have 50,000 URLs; a smaller one is generated faster. */
export const ADDRESSES_PER_PAGE = 10_000;

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

export type Address = { readonly url: string; readonly changedAt?: Date; readonly images?: readonly string[] };

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
