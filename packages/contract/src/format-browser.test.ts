import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatBrowser } from './format-browser.ts';

describe('formatBrowser', () => {
  for (const [userAgent, expected] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36', 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) AppleWebKit/605 Version/19.0 Safari/605.1', 'Safari on macOS'],
    ['curl/8.5.0', 'curl'],
    ['something else', 'Unknown browser'],
    ['', 'Unknown browser'],
  ] as const) {
    it(`formats "${userAgent}" as ${expected}`, () => {
      assert.equal(formatBrowser(userAgent), expected);
    });
  }
});
