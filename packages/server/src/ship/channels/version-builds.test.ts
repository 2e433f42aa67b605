import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Candidate, pickBuilds } from './version-builds.ts';

const build = (build_id: string, fields: Partial<Candidate> = {}): Candidate => ({
  build_id,
  build_type: 'game',
  os: 'linux',
  arch: 'x86_64',
  channel: 'stable',
  created_at: new Date(0),
  offered: true,
  ...fields,
});
const pick = (builds: readonly Candidate[], channel = 'stable') =>
  pickBuilds(builds, channel).map(({ build_id }) => build_id);

test('each platform gets one build, in the order of the platforms', () => {
  assert.deepEqual(pick([build('w', { os: 'windows' }), build('l'), build('a', { arch: 'arm64' })]), ['a', 'l', 'w']);
});

test('of several builds for a platform, games come first, then builds that can be downloaded', () => {
  assert.deepEqual(pick([build('server', { build_type: 'server' }), build('game', { offered: false })]), ['game']);
  assert.deepEqual(pick([build('empty', { offered: false }), build('full', { channel: 'beta' })]), ['full']);
});

test('then builds registered for the channel come first, then newer ones', () => {
  const builds = [build('stable'), build('beta', { channel: 'beta' }), build('new', { created_at: new Date(1) })];
  assert.deepEqual(pick(builds, 'beta'), ['beta']);
  assert.deepEqual(pick(builds), ['new']);
  assert.deepEqual(pick([build('1'), build('2')]), ['2']);
});
