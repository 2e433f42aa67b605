import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildIdOf, readRelease } from './release.ts';

describe('readRelease', () => {
  const cases: readonly (readonly [
    release: string,
    dist: string,
    app: string,
    first: string,
    others: readonly string[],
  ])[] = [
    ['game@1.2.0', '', 'game', '1.2.0', ['game@1.2.0', 'v1.2.0']],
    ['com.example.game@1.2.0+42', '', 'com.example.game', '1.2.0+42', ['1.2.0', 'v1.2.0']],
    ['1.2.0', '42', '', '1.2.0', ['1.2.0+42', '1.2.0-42', '1.2.0.42']],
    ['v1.2.0', '', '', 'v1.2.0', ['1.2.0']],
    ['@studio/game@2.0', '', '@studio/game', '2.0', []],
    ['test-example-release', '', '', 'test-example-release', []],
  ];
  for (const [release, dist, app, first, others] of cases) {
    it(`reads ${release}`, () => {
      const read = readRelease(release, dist);
      assert.deepEqual([read.app, read.versions[0]], [app, first]);
      for (const version of others) assert.ok(read.versions.includes(version), version);
    });
  }

  it('has no version without a release', () => {
    assert.deepEqual(readRelease(' '), { app: '', versions: [] });
  });
});

describe('buildIdOf', () => {
  it('finds a build id alone and after the name of the program', () => {
    const id = '018f3a2b-7c1d-7e5f-8a9b-1c2d3e4f5a6b';
    assert.equal(buildIdOf(id.toUpperCase()), id);
    assert.equal(buildIdOf(`game@${id}`), id);
    assert.equal(buildIdOf('game@1.2.0'), null);
  });
});
