import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPerson, osOf, referrerOf } from './visitor.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

it('counts people, but no programs that say what they are', () => {
  assert.equal(isPerson({ 'user-agent': FIREFOX }), true);
  assert.equal(isPerson({ 'user-agent': FIREFOX, 'sec-fetch-dest': 'document' }), true);
  const programs = [
    'Mozilla/5.0 (compatible; SearchBot/2.1; +https://example.com/bot)',
    'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0',
    'curl/8.5.0',
    'externals/1.1',
    '',
  ];
  for (const agent of programs) assert.equal(isPerson({ 'user-agent': agent }), false, agent);
  assert.equal(isPerson({}), false);
});

it('leaves out pages that are loaded ahead or by a script', () => {
  assert.equal(isPerson({ 'user-agent': FIREFOX, 'sec-purpose': 'prefetch;prerender' }), false);
  assert.equal(isPerson({ 'user-agent': FIREFOX, 'sec-fetch-dest': 'empty' }), false);
});

it('keeps only the host of another website', () => {
  const of = (referer: string) => referrerOf({ referer }, 'games.example.com');
  assert.equal(of('https://www.news.example.org/a/private/path?token=1'), 'news.example.org');
  for (const none of ['https://games.example.com/browse', '', 'nonsense', 'https://localhost/', 'android-app://x'])
    assert.equal(of(none), '', none);
  assert.equal(of(`https://${'a'.repeat(200)}.com/`), '');
});

it('reads the OS', () => {
  assert.equal(osOf({ 'user-agent': FIREFOX }), 'windows');
  assert.equal(osOf({ 'user-agent': 'unheard of' }), '');
});
