import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayPlatform } from './platform-words.ts';

test('platforms are said by the name that people know, and as they are where there is none', () => {
  assert.equal(sayPlatform({ os: 'macos', arch: 'arm64' }), 'macOS arm64');
  assert.equal(sayPlatform({ os: 'amiga', arch: 'm68k' }), 'amiga m68k');
});
