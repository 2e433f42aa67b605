import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeHtml } from '../kernel/text/escape-html.ts';
import { writeHead } from './page-head.ts';

const head = { title: 'Small Walk', description: 'A stroll.', url: 'https://games.example.com/g/small-walk' };

test('the head has the title, description, URL and image for search engines and previews', () => {
  const image = { url: 'https://games.example.com/a.png', width: 1280, height: 720, alt: 'Small Walk' };
  const video = { url: 'https://games.example.com/a.mp4', type: 'video/mp4', width: 1920, height: 1080 };
  const text = writeHead({ ...head, image, video });
  for (const line of [
    '<title>Small Walk · Chauffeur</title>',
    '<link rel="canonical" href="https://games.example.com/g/small-walk">',
    '<meta name="description" content="A stroll.">',
    '<meta name="twitter:card" content="summary_large_image">',
    '<meta property="og:title" content="Small Walk">',
    '<meta property="og:image" content="https://games.example.com/a.png">',
    '<meta property="og:image:width" content="1280">',
    '<meta property="og:video" content="https://games.example.com/a.mp4">',
    '<meta property="og:video:type" content="video/mp4">',
    '<meta property="og:video:height" content="1080">',
  ])
    assert.ok(text.includes(line), `${line} is not in\n${text}`);
  assert.ok(!text.includes('noindex'));
});

test('a page without an image has a small card, and a hidden page is not indexed', () => {
  const text = writeHead({ ...head, isHidden: true });
  assert.match(text, /name="twitter:card" content="summary"/);
  assert.match(text, /name="robots" content="noindex"/);
  assert.ok(!text.includes('og:image') && !text.includes('og:video'));
});

test('text of a game cannot leave its element or attribute', () => {
  const text = writeHead({ ...head, title: '</title><script>', description: "\"><script>alert('1')</script>" });
  assert.ok(!text.includes('<script'));
  assert.match(text, /<title>&lt;\/title&gt;&lt;script&gt; · Chauffeur<\/title>/);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (any) => !/[<>"']/.test(escapeHtml(any))));
});

test('a long description becomes one line that is cut between words', () => {
  const [, description = ''] = /name="description" content="([^"]*)"/.exec(
    writeHead({ ...head, description: 'One line.\n\nAnother, and so on. '.repeat(30) }),
  )!;
  assert.ok(description.length <= 201 && description.endsWith('…') && !description.includes('\n'), description);
  assert.match(description, /(line\.|Another,|and|so|on\.)…$/);
});
