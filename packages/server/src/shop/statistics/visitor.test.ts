import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPerson, osOfVisitor, referrerOf } from './visitor.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

function counts(headers: Record<string, string>, method = 'GET'): boolean {
  return isPerson({ method, headers });
}

it('counts people in any browser', () => {
  const browsers = [
    FIREFOX,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
    'Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18',
    'Lynx/2.9.0 libwww-FM/2.14',
  ];
  for (const agent of browsers) assert.equal(counts({ 'user-agent': agent }), true, agent);
  assert.equal(counts({ 'user-agent': FIREFOX, 'sec-fetch-dest': 'document' }), true);
});

it('counts no programs, whether or not they take the name of a browser', () => {
  const programs = [
    'Mozilla/5.0 (compatible; SearchBot/2.1; +https://example.com/bot)',
    'Mozilla/5.0 (compatible; Indexer/1.0)',
    'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0)',
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Google-InspectionTool/1.0',
    'Mediapartners-Google',
    'axios/1.7.2',
    'PostmanRuntime/7.40.0',
    'WhatsApp/2.24.6.77 A',
    'Ruby',
    'okhttp/4.12.0',
    'UptimeService/1.0',
    'curl/8.5.0',
    'externals/1.1',
    '',
  ];
  for (const agent of programs) assert.equal(counts({ 'user-agent': agent }), false, agent);
  assert.equal(counts({}), false);
});

it('leaves out pages that are loaded ahead or by a script, and requests for the headers alone', () => {
  assert.equal(counts({ 'user-agent': FIREFOX, 'sec-purpose': 'prefetch;prerender' }), false);
  assert.equal(counts({ 'user-agent': FIREFOX, 'sec-fetch-dest': 'empty' }), false);
  assert.equal(counts({ 'user-agent': FIREFOX }, 'HEAD'), false);
});

it('keeps only the host of another website', () => {
  const of = (referer: string) => referrerOf({ referer }, 'games.example.com');
  assert.equal(of('https://www.news.example.org/a/private/path?token=1'), 'news.example.org');
  for (const none of ['https://games.example.com/browse', '', 'nonsense', 'https://localhost/', 'android-app://x'])
    assert.equal(of(none), '', none);
  assert.equal(of(`https://${'a'.repeat(200)}.com/`), '');
});

it('reads the OS', () => {
  assert.equal(osOfVisitor({ 'user-agent': FIREFOX }), 'windows');
  assert.equal(osOfVisitor({ 'user-agent': 'unheard of' }), '');
});
