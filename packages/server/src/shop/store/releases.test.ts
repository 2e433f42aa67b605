import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeRelease, type ReleasedBuild } from './releases.ts';

const LINUX = { os: 'linux', arch: 'x86_64' } as const;
const WINDOWS = { os: 'windows', arch: 'x86_64' } as const;
const RAIN = { title: 'Rain', description: 'In six colours' };
const SNOW = { title: 'Snow', description: '' };

describe('a release of several builds', () => {
  const build = (changes: Partial<ReleasedBuild>): ReleasedBuild => ({
    ...LINUX,
    size: 1,
    title: '',
    changelog: [],
    ...changes,
  });
  const merge = (...builds: Partial<ReleasedBuild>[]) => mergeRelease('1.0.0', builds.map(build));

  test('says once what all builds say', () => {
    const same = { title: 'Weather', changelog: [RAIN, SNOW] };
    assert.deepEqual(merge({ ...same, ...WINDOWS, size: 2 }, same), {
      titles: [{ title: 'Weather', platforms: null }],
      changes: [
        { ...RAIN, platforms: null },
        { ...SNOW, platforms: null },
      ],
      platforms: [
        { ...LINUX, size: 1 },
        { ...WINDOWS, size: 2 },
      ],
    });
  });

  test('names the platforms of what only some say', () => {
    const { titles, changes } = merge(
      { ...WINDOWS, title: 'Snow', changelog: [RAIN, SNOW] },
      { title: 'Rain', changelog: [{ ...RAIN, description: '' }, SNOW] },
    );
    assert.deepEqual(titles, [
      { title: 'Snow', platforms: [WINDOWS] },
      { title: 'Rain', platforms: [LINUX] },
    ]);
    assert.deepEqual(changes, [
      { ...RAIN, platforms: [WINDOWS] },
      { ...SNOW, platforms: null },
      { title: 'Rain', description: '', platforms: [LINUX] },
    ]);
  });

  test('has the title of the only build with one, and none that repeats the version', () => {
    assert.deepEqual(merge({ title: 'Rain' }, WINDOWS).titles, [{ title: 'Rain', platforms: null }]);
    assert.deepEqual(merge({ title: '1.0.0' }).titles, []);
    assert.deepEqual(merge({ changelog: [SNOW] }, WINDOWS).changes, [{ ...SNOW, platforms: [LINUX] }]);
  });

  test('has only the newest build of each platform, and each of its changes once', () => {
    const { titles, changes, platforms } = merge(
      { title: 'New', size: 2, changelog: [SNOW, SNOW] },
      { title: 'Old', changelog: [RAIN] },
    );
    assert.deepEqual([titles, changes], [[{ title: 'New', platforms: null }], [{ ...SNOW, platforms: null }]]);
    assert.deepEqual(platforms, [{ ...LINUX, size: 2 }]);
  });
});
