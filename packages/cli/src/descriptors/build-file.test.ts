import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type BuildAsset,
  choosePlatform,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
  registrationOf,
  withChangelogEntry,
} from './build-file.ts';

const platform = (os: string, arch: string, channel = 'stable') => ({ os, arch, channel });
const asset = (more: Partial<BuildAsset> = {}): BuildAsset => ({
  version: '1.10',
  platforms: [],
  changelog: [],
  ...more,
});

test('a version that looks like a number is kept as written', () => {
  const file = 'version: v1\nspec: build\nasset:\n  version: 1.10\n  title: 007\n';
  assert.deepEqual(parseBuildFile('build.yml', file), asset({ title: '007' }));
  assert.match(newBuildFile(asset()), /version: "1\.10"/);
});

test('any text is read back as written', () => {
  const line = fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((s) => !s.includes('\0') && s.isWellFormed());
  const entry = fc.record({ title: line, description: line }, { noNullPrototype: true });
  fc.assert(
    fc.property(line, line, fc.array(entry, { maxLength: 3 }), (version, description, changelog) => {
      const before = asset({ version, description, title: 't', type: 'game', changelog });
      assert.deepEqual(parseBuildFile('build.yml', newBuildFile(before)), before);
    }),
  );
});

test('edits keep comments and unchanged fields', () => {
  const file =
    '# our game\nversion: v1\nspec: build\nasset:\n  title: Owls # working title\n  version: "1"\n  changelog: []\n';
  const edited = withChangelogEntry(file, parseBuildFile('build.yml', file), { title: 'A', description: 'a' });
  const twice = withChangelogEntry(edited, parseBuildFile('build.yml', edited), { title: 'B', description: 'b' });
  const moved = editedBuildFile(twice, { version: '2.0' });
  assert.match(moved, /# our game/);
  assert.match(moved, /title: Owls # working title/);
  assert.deepEqual(parseBuildFile('build.yml', moved), {
    ...asset({ version: '2.0', title: 'Owls' }),
    changelog: [
      { title: 'A', description: 'a' },
      { title: 'B', description: 'b' },
    ],
  });
});

test('errors name the field', () => {
  const cases: [string, RegExp][] = [
    ['asset: 7', /build\.yml: asset: must contain fields/],
    ['asset:\n  title: x', /asset\.version: empty/],
    ['asset:\n  version: 1\n  platforms: linux', /asset\.platforms: must be a list/],
    [
      'asset:\n  version: 1\n  platforms: [{ os: amiga, arch: x64 }]',
      /asset\.platforms\[0\]\.os: not an accepted value/,
    ],
    ['asset:\n  version: 1\n  changelog: [{ title: a }, { description: b }]', /asset\.changelog\[1\]\.title: empty/],
    ['asset:\n  version: [1]', /asset\.version: must be a text/],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parseBuildFile('build.yml', `version: v1\nspec: build\n${text}\n`), message);
  }
});

test('the platform matches the flags, including aliases', () => {
  const two = asset({ platforms: [platform('windows', 'x86_64', 'beta'), platform('linux', 'x86_64', 'beta')] });
  assert.deepEqual(choosePlatform(two, { os: 'win64', arch: 'x64' }), platform('win64', 'x64', 'beta'));
  assert.deepEqual(choosePlatform(two, { os: 'linux' }), platform('linux', 'x86_64', 'beta'));
  assert.throws(
    () => choosePlatform(two, {}),
    /Several matching platforms.*windows\/x86_64 on beta, linux\/x86_64 on beta/,
  );
  assert.throws(() => choosePlatform(two, { os: 'macos' }), /No matching platform/);
});

test('a platform that is not listed is taken from the flags, with the channel of the listed platforms', () => {
  const windowsOnly = asset({ platforms: [platform('windows', 'x86_64', 'beta')] });
  assert.deepEqual(choosePlatform(windowsOnly, { os: 'macos', arch: 'arm64' }), platform('macos', 'arm64', 'beta'));
  assert.deepEqual(
    choosePlatform(windowsOnly, { os: 'macos', arch: 'arm64', channel: 'dev' }),
    platform('macos', 'arm64', 'dev'),
  );
  assert.deepEqual(choosePlatform(asset(), { os: 'web', arch: 'wasm32' }), platform('web', 'wasm32'));
});

test('a registration has the fields of the asset, with the names of the API', () => {
  const registration = registrationOf(asset({ type: 'demo', title: 'T' }), platform('web', 'wasm32'));
  assert.deepEqual(registration, {
    version: '1.10',
    title: 'T',
    build_type: 'demo',
    os: 'web',
    arch: 'wasm32',
    channel: 'stable',
    changelog_items: [],
  });
});
