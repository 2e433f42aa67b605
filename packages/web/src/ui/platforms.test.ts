import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Platform } from '@chauffeur/contract/identity';
import { comparePlatforms, guessOs } from './platforms.ts';

describe('comparePlatforms', () => {
  it('sorts by OS, then by architecture', () => {
    const platforms: Platform[] = [
      { os: 'web', arch: 'wasm' },
      { os: 'linux', arch: 'arm64' },
      { os: 'linux', arch: 'x86_64' },
      { os: 'windows', arch: 'x86_64' },
    ];
    assert.deepEqual(
      platforms.toSorted(comparePlatforms).map(({ os, arch }) => `${os} ${arch}`),
      ['windows x86_64', 'linux x86_64', 'linux arm64', 'web wasm'],
    );
  });
});

describe('guessOs', () => {
  it('reads the OS from the user agent', () => {
    assert.equal(guessOs('Mozilla/5.0 (Windows NT 10.0; Win64; x64)'), 'windows');
    assert.equal(guessOs('Mozilla/5.0 (Linux; Android 14; Pixel 8)'), 'android');
    assert.equal(guessOs('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)'), 'ios');
    assert.equal(guessOs('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), 'macos');
    assert.equal(guessOs('curl/8'), 'linux');
  });
});
