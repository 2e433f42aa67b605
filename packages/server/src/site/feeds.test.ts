// Unit tests of Atom feeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFeed } from './feeds.ts';

const feed = {
  id: 'urn:uuid:1',
  title: 'New games',
  page: 'https://games.example.com/',
  self: 'https://games.example.com/feeds/games.atom',
};

test('texts are escaped, HTML is escaped once, and what XML cannot contain is replaced', () => {
  const text = writeFeed({
    ...feed,
    entries: [
      {
        id: 'urn:uuid:2',
        title: 'A & <b>\u0000\ud800',
        url: 'https://games.example.com/g/a?b&c',
        author: 'Ida',
        at: new Date('2026-11-30T12:00:00Z'),
        content: '<p>A &amp; B</p>',
      },
    ],
  });
  assert.match(text, /<title>A &amp; &lt;b&gt;\ufffd\ufffd<\/title>/);
  assert.match(text, /href="https:\/\/games\.example\.com\/g\/a\?b&amp;c"/);
  assert.match(text, /<content type="html">&lt;p&gt;A &amp;amp; B&lt;\/p&gt;<\/content>/);
  assert.match(text, /<updated>2026-11-30T12:00:00\.000Z<\/updated>\n<entry>/);
});

test('a feed without entries is valid', () => {
  assert.match(writeFeed({ ...feed, entries: [] }), /<updated>1970-01-01T00:00:00\.000Z<\/updated>\n<\/feed>/);
});
