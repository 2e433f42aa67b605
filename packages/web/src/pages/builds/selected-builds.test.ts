import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNotPromoted } from './selected-builds.ts';

const build = { build_id: 'a', version: '1.1.0', os: 'linux', arch: 'x86_64', state: 'ready' } as const;

test('builds of one version for different platforms can be promoted together', () => {
  assert.equal(whyNotPromoted([build, { ...build, build_id: 'b', os: 'windows' }], [build]), null);
});

test('says why selected builds cannot be promoted', () => {
  assert.equal(
    whyNotPromoted([build, { ...build, version: '1.0.0' }], []),
    'To promote, select builds of one version only, not 1.1.0 and 1.0.0.',
  );
  assert.equal(whyNotPromoted([build, build], []), 'To promote, select only one build for Linux x86_64.');
  assert.equal(
    whyNotPromoted([build, { ...build, os: 'windows', state: 'processing' }], []),
    "Windows x86_64 can't be promoted: its file is still being scanned.",
  );
  assert.equal(
    whyNotPromoted([build, { ...build, os: 'windows' }], [build, { ...build, build_id: 'b' }]),
    '1.1.0 has several builds for Linux x86_64. Promote the selected builds one by one.',
  );
  assert.equal(whyNotPromoted([build], [{ ...build, build_id: 'b' }]), null);
});
