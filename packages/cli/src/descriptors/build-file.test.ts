import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasHiddenCharacter } from '@chauffeur/contract/text';
import fc from 'fast-check';
import { LocalError } from '../failures.ts';
import { isVariable } from '../option-values.ts';
import {
  type BuildAsset,
  choosePlatform,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
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
    .map((text) => text.trim())
    .filter((text) => text !== '' && text.isWellFormed() && !hasHiddenCharacter(text) && !isVariable(text));
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
    ['asset:\n  version: 1\n  platforms: linux', /asset\.platforms must be a list/],
    [
      'asset:\n  version: 1\n  platforms: [{ os: amiga, arch: x64 }]',
      /asset\.platforms\[0\]\.os: not an accepted value/,
    ],
    ['asset:\n  version: 1\n  changelog: [{ title: a }, { description: b }]', /asset\.changelog\[1\]\.title: empty/],
    ['asset:\n  version: [1]', /asset\.version must be a text/],
    ['asset:\n  version: "1.0\\n2"', /asset\.version contains a line break/],
    ['asset:\n  version: $VERSION', /asset\.version: \$VERSION is the name of a variable/],
    ['asset:\n  version: ', /asset\.version is empty/],
    ['asset:\n  version: 1\n  version: 2', /keys must be unique at line 5/],
    ['asset:\n  version: 1\n  platforms: [{ os: linux, arch: x64, channel: "" }]', /platforms\[0\]\.channel is empty/],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parseBuildFile('build.yml', `version: v1\nspec: build\n${text}\n`), message);
  }
});

test('a field that does not exist is refused with the field that was probably meant', () => {
  const cases: [string, string, string][] = [
    ['asset:\n  version: 1\n  chanel: beta', 'asset.chanel', 'Did you mean channel in asset.platforms?'],
    ['asset:\n  version: 1\n  channel: beta', 'asset.channel', 'Did you mean channel in asset.platforms?'],
    ['asset:\n  version: 1\n  engineVersion: 4.3', 'asset.engineVersion', 'Did you mean engine_version?'],
    ['asset:\n  version: 1\n  platforms: [{ os: linux, ach: x64 }]', 'asset.platforms[0].ach', 'Did you mean arch?'],
    ['asset:\n  version: 1\n  changelog: [{ titel: a }]', 'asset.changelog[0].titel', 'Did you mean title?'],
    ['assets: {}\nasset:\n  version: 1', 'build.yml: assets', 'Did you mean asset?'],
    ['asset:\n  version: 1\n  author: Ada', 'asset.author', 'Remove it. The fields are title, type,'],
  ];
  for (const [text, field, remedy] of cases) {
    assert.throws(
      () => parseBuildFile('build.yml', `version: v1\nspec: build\n${text}\n`),
      (error) => {
        assert.ok(error instanceof LocalError);
        assert.equal(error.message, `${field} is not a field.`);
        assert.ok(error.remedy?.startsWith(remedy), field);
        return true;
      },
    );
  }
});

test('names in the file are read without the spaces and line breaks around them', () => {
  const file = 'version: v1\r\nspec: build\r\nasset:\r\n  version: |\r\n    1.0\r\n  title: " Owls "\r\n';
  assert.deepEqual(parseBuildFile('build.yml', file), asset({ version: '1.0', title: 'Owls' }));
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

test('the channel of a platform that is not listed is never guessed from different ones', () => {
  const two = asset({ platforms: [platform('windows', 'x86_64', 'beta'), platform('linux', 'x86_64', 'dev')] });
  const macos = { os: 'macos', arch: 'arm64' };
  assert.throws(() => choosePlatform(two, macos), /have the channels beta, dev/);
  assert.deepEqual(choosePlatform(two, { ...macos, channel: 'dev' }), platform('macos', 'arm64', 'dev'));
});
