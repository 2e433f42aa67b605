import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformsOf } from './platform.ts';

test('the best build for a computer comes first', () => {
  const arches = (platform: NodeJS.Platform, arch: NodeJS.Architecture) =>
    platformsOf({}, { platform, arch }).map((found) => `${found.os}/${found.arch}`);
  assert.deepEqual(arches('linux', 'x64'), ['linux/x86_64', 'linux/universal', 'linux/x86']);
  assert.deepEqual(arches('linux', 'arm64'), ['linux/arm64', 'linux/universal']);
  assert.deepEqual(arches('darwin', 'arm64'), ['macos/arm64', 'macos/universal', 'macos/x86_64']);
  assert.deepEqual(arches('sunos', 'x64'), []);
  assert.deepEqual(platformsOf({ os: 'windows', arch: 'arm64' }, { platform: 'linux', arch: 'x64' }), [
    { os: 'windows', arch: 'arm64' },
  ]);
});
