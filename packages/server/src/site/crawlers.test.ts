import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeRobots, writeSitemap, writeSitemapIndex } from './crawlers.ts';

test('crawlers may read public pages and their images, and find the sitemap', () => {
  const lines = writeRobots('https://games.example.com').split('\n');
  assert.equal(lines[0], 'User-agent: *');
  assert.ok(lines.includes('Allow: /api/v1/public/'));
  assert.ok(lines.includes('Disallow: /dev'));
  assert.ok(lines.includes('Sitemap: https://games.example.com/sitemap.xml'));
});

test('a sitemap lists escaped URLs, with the time of the last change if it is known', () => {
  const text = writeSitemap([
    { url: 'https://games.example.com/' },
    { url: 'https://games.example.com/g/a&b', changedAt: new Date('2026-11-30T12:00:00Z') },
  ]);
  assert.match(text, /<url><loc>https:\/\/games\.example\.com\/<\/loc><\/url>/);
  assert.match(
    text,
    /<loc>https:\/\/games\.example\.com\/g\/a&amp;b<\/loc><lastmod>2026-11-30T12:00:00\.000Z<\/lastmod>/,
  );
});

test('a sitemap lists the images of a page', () => {
  const text = writeSitemap([{ url: 'https://games.example.com/g/a', images: ['https://games.example.com/1?a&b'] }]);
  assert.match(text, /xmlns:image="/);
  assert.match(text, /<image:image><image:loc>https:\/\/games\.example\.com\/1\?a&amp;b<\/image:loc><\/image:image>/);
});

test('an index lists the sitemaps', () => {
  assert.match(writeSitemapIndex(['https://games.example.com/sitemap/1.xml']), /<sitemap><loc>https.*1\.xml<\/loc>/);
});
