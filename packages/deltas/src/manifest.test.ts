import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { damage } from '../../debug-symbols/test/damage.ts';
import { anyPair, noise, type TestTree, words, zipTree } from '../test/trees.ts';
import { DeltaError } from './error.ts';
import { decodeManifest, encodeManifest, type Manifest, packManifest, unpackManifest } from './manifest.ts';

const TREE: TestTree = {
  'data/1.pak': { content: noise(1, 5000), method: 'stored' },
  'data/2.pak': { content: words(2, 5000) },
  'data/3.pak': { content: words(3, 3000), method: 'whole' },
  empty: { content: Buffer.alloc(0) },
  'folder/': null,
  link: 'data/1.pak',
  run: { content: Buffer.from('#!'), mode: 0o755 },
};

test('a manifest is read as it was written, and says where everything is in the zip', () => {
  fc.assert(
    fc.property(anyPair, ([tree]) => {
      const { manifest, zip } = zipTree({ ...TREE, ...tree });
      const encoded = encodeManifest(manifest);
      assert.deepEqual(unpackManifest(packManifest(encoded)), encoded);
      const decoded = decodeManifest(encoded);
      assert.deepEqual(decoded.entries, manifest.entries);
      assert.deepEqual(decoded.blocks, manifest.blocks);
      assert.deepEqual(encodeManifest(decoded), encoded);
      for (const entry of decoded.entries) {
        if (entry.type !== 'file') continue;
        const data = zip.subarray(entry.offset, entry.offset + entry.packed);
        const file = { ...TREE, ...tree }[entry.path] as { content: Buffer };
        assert.deepEqual(entry.method === 'stored' ? data : inflateRawSync(data), file.content);
      }
    }),
    { numRuns: 50 },
  );
});

test('damaged manifests are refused or read as a valid manifest', () => {
  const encoded = encodeManifest(zipTree(TREE).manifest);
  for (const bytes of damage(encoded, 3000, 1)) {
    try {
      // What is accepted is exactly what would be written.
      assert.deepEqual(encodeManifest(decodeManifest(bytes)), Buffer.from(bytes));
    } catch (error) {
      if (!(error instanceof DeltaError)) throw error;
    }
  }
});

test('a compressed manifest that unpacks to more than it says is refused', () => {
  const packed = packManifest(Buffer.alloc(50_000_000));
  const smaller = Buffer.concat([Buffer.from([100]), packed.subarray(4)]);
  assert.throws(() => unpackManifest(smaller), DeltaError);
  assert.throws(() => unpackManifest(Buffer.from('nonsense')), DeltaError);
});

test('counts that the bytes cannot have are refused before they take memory', () => {
  const encoded = encodeManifest(zipTree({ a: { content: Buffer.from('x') } }).manifest);
  assert.throws(() => decodeManifest(encoded.subarray(0, encoded.length - 1)), DeltaError);
  assert.throws(() => decodeManifest(Buffer.concat([encoded, Buffer.from([0])])), /after the end/);
});

/** A manifest in which an entry has another path or target. */
function withPaths(paths: readonly string[], os = 'linux', link?: string): Manifest {
  const { manifest } = zipTree(
    Object.fromEntries(paths.map((_, index) => [`f${index}`, { content: Buffer.from('x') }])),
    { os },
  );
  const entries = manifest.entries.map((entry, index) => ({ ...entry, path: paths[index]! }));
  return {
    ...manifest,
    entries: link === undefined ? entries : [...entries, { path: 'l', type: 'link', target: link }],
  };
}

test('paths that lead out of the folder or mean something else there are refused', () => {
  for (const path of [
    '../x',
    'a/../../x',
    '/etc/x',
    'C:/x',
    'c:x',
    'a\\b',
    'a//b',
    './a',
    '',
    'a/',
    'a\nb',
    '\u202Ea',
    'x'.repeat(5000),
  ])
    assert.throws(() => decodeManifest(encodeManifest(withPaths([path]))), DeltaError, path);
  for (const path of ['CON', 'data/nul.txt', 'ab:c', 'end.', 'end ', 'a?b']) {
    assert.throws(() => decodeManifest(encodeManifest(withPaths([path], 'windows'))), DeltaError, path);
    assert.doesNotThrow(() => decodeManifest(encodeManifest(withPaths([path]))), path);
  }
});

test('paths that are the same on the OS of the build, and files inside of files or links, are refused', () => {
  const refuses = (manifest: Manifest) => assert.throws(() => decodeManifest(encodeManifest(manifest)), DeltaError);
  refuses(withPaths(['a', 'a']));
  refuses(withPaths(['a', 'a/b']));
  refuses(withPaths(['l/b'], 'linux', 'a'));
  for (const os of ['windows', 'macos']) {
    refuses(withPaths(['A', 'a'], os));
    refuses(withPaths(['A', 'a/b'], os));
    refuses(withPaths(['L/b'], os, 'a'));
  }
  assert.doesNotThrow(() => decodeManifest(encodeManifest(withPaths(['A', 'a']))));
});

test('links that lead out of the folder or back to themselves are refused', () => {
  for (const target of ['', '/etc/passwd', '../x', 'a/../../x', 'C:\\x', 'l', 'a\\b'])
    assert.throws(() => decodeManifest(encodeManifest(withPaths(['a'], 'linux', target))), DeltaError, target);
  assert.doesNotThrow(() => decodeManifest(encodeManifest(withPaths(['a'], 'linux', './a'))));
});
