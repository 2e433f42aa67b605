import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Platform } from './identity.ts';
import { chooseDownload, formatBrowser, readMachine } from './machine.ts';

const read = (userAgent: string, touchPoints = 0) => readMachine({ userAgent, touchPoints });

describe('readMachine', () => {
  it('reads the OS of each browser', () => {
    const machines = [
      read('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'),
      read('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15'),
      read('Mozilla/5.0 (X11; Linux aarch64; rv:140.0) Gecko/20100101 Firefox/140.0'),
      read('Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 5),
      read('Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15', 5),
      read('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15', 5),
      read('Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'),
    ];
    assert.deepEqual(machines, [
      { os: 'windows', arch: null },
      { os: 'macos', arch: null },
      { os: 'linux', arch: 'arm64' },
      { os: 'android', arch: null },
      { os: 'ios', arch: null },
      { os: 'ios', arch: null },
      { os: null, arch: null },
    ]);
  });

  it('prefers the hints, since the user agent of Chromium always names the same processor', () => {
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
    const hints = { platform: 'macOS', architecture: 'arm', bitness: '64' };
    assert.deepEqual(readMachine({ userAgent, touchPoints: 0, hints }), { os: 'macos', arch: 'arm64' });
    assert.deepEqual(readMachine({ userAgent, touchPoints: 0, hints: { platform: '' } }), {
      os: 'linux',
      arch: 'x86_64',
    });
  });
});

describe('chooseDownload', () => {
  const offer = (text: string) => {
    const [os = '', arch = ''] = text.split(' ');
    return { os, arch } as Platform;
  };
  const choose = (offers: string[], os: string | null, arch: string | null = null) => {
    const { best, others, isSure } = chooseDownload(offers.map(offer), { os, arch });
    const format = ({ os, arch }: { os: string; arch: string }) => `${os} ${arch}`;
    return { best: best && format(best), others: others.map(format), isSure };
  };

  it('prefers a native download to one that needs translation', () => {
    const offers = ['linux x86_64', 'macos x86_64', 'macos arm64'];
    assert.deepEqual(choose(offers, 'macos', 'arm64'), {
      best: 'macos arm64',
      others: ['macos x86_64', 'linux x86_64'],
      isSure: true,
    });
    assert.equal(choose(['macos x86_64'], 'macos', 'arm64').best, 'macos x86_64');
    assert.equal(choose(['windows x86'], 'windows', 'x86_64').best, 'windows x86');
  });

  it('reports no certainty if the processor is unknown and two downloads may fit', () => {
    assert.equal(choose(['macos arm64', 'macos x86_64'], 'macos').isSure, false);
    assert.equal(choose(['macos universal', 'macos x86_64'], 'macos').isSure, true);
    assert.equal(choose(['windows x86_64', 'linux x86_64'], 'windows').isSure, true);
  });

  it('picks nothing if no download runs', () => {
    assert.equal(choose(['macos arm64'], 'macos', 'x86_64').best, null);
    assert.equal(choose(['linux arm64'], 'linux', 'x86_64').best, null);
    assert.deepEqual(choose(['linux x86_64'], null), { best: null, others: ['linux x86_64'], isSure: false });
  });
});

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
