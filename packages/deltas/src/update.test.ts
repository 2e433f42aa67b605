// Updates of whole trees: from the old tree and blocks or a pack, the new tree comes out as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { damage } from '../../debug-symbols/test/damage.ts';
import { anyPair, noise, readerOf, type TestTree, words, zipTree } from '../test/trees.ts';
import { sha256Of, updateByBlocks, updateByPack } from '../test/update.ts';
import { DeltaError } from './error.ts';
import { makePack, planPack } from './make-pack.ts';
import { encodeManifest, type Manifest } from './manifest.ts';
import { encodeDifference } from './manifest-difference.ts';
import { completeDraft, decodeDifference } from './manifest-difference-reader.ts';
import { planUpdate } from './plan.ts';

const filesOf = (tree: TestTree) =>
  Object.entries(tree).flatMap(([path, value]) =>
    value !== null && typeof value === 'object' ? [[path, value.content] as const] : [],
  );

function packOf(
  oldTree: TestTree,
  old: Manifest,
  tree: TestTree,
  next: Manifest,
  isReadable = (_entry: number) => true,
): Buffer {
  const pieces: Buffer[] = [];
  const [readOld, readNew] = [readerOf(oldTree, old), readerOf(tree, next)];
  const index = makePack(planPack(old, next), {
    readOld: (entry, ...range) => {
      assert.ok(isReadable(entry));
      return readOld(entry, ...range);
    },
    readNew,
    isReadable,
    write: (bytes) => pieces.push(bytes),
  });
  return Buffer.concat([index, ...pieces]);
}

test('any tree is updated to any other with blocks', () => {
  fc.assert(
    fc.property(anyPair, ([before, after]) => {
      const [old, next] = [zipTree(before), zipTree(after)];
      const made = updateByBlocks(before, old.manifest, next);
      assert.deepEqual([...made].sort(), filesOf(after).sort());
    }),
    { numRuns: 200 },
  );
});

test('any tree is updated to any other with a pack', () => {
  fc.assert(
    fc.property(anyPair, ([before, after]) => {
      const [old, next] = [zipTree(before).manifest, zipTree(after, { build: 'b2', version: '1.1' }).manifest];
      const { made, manifest } = updateByPack(before, old, packOf(before, old, after, next), sha256Of(next));
      assert.deepEqual(encodeManifest(manifest), encodeManifest(next));
      const content = new Map(filesOf(after));
      for (const [path, bytes] of made) assert.deepEqual(bytes, content.get(path));
    }),
    { numRuns: 100 },
  );
});

test('a pack that was made without some of the old files is right too', () => {
  fc.assert(
    fc.property(anyPair, fc.nat(), ([before, after], seed) => {
      const [old, next] = [zipTree(before).manifest, zipTree(after, { build: 'b2', version: '1.1' }).manifest];
      const pack = packOf(before, old, after, next, (entry) => ((seed >> (entry % 31)) & 1) === 1);
      const { made } = updateByPack(before, old, pack, sha256Of(next));
      const content = new Map(filesOf(after));
      for (const [path, bytes] of made) assert.deepEqual(bytes, content.get(path));
    }),
    { numRuns: 100 },
  );
});

test('any manifest is made from any other and their difference', () => {
  fc.assert(
    fc.property(anyPair, ([before, after]) => {
      const [old, next] = [zipTree(before).manifest, zipTree(after, { os: 'windows' }).manifest];
      const draft = decodeDifference(old, encodeDifference(old, next, 'included'));
      assert.equal(draft.missing.size, 0);
      assert.deepEqual(encodeManifest(completeDraft(draft, new Map(), sha256Of(next))), encodeManifest(next));
    }),
    { numRuns: 200 },
  );
});

const OLD: TestTree = {
  'data/1.pak': { content: noise(1, 60_000), method: 'stored' },
  'data/2.pak': { content: words(2, 60_000) },
  'data/3.pak': { content: words(3, 3000), method: 'whole' },
  run: { content: noise(4, 3000), mode: 0o755 },
  'shader-1a2b.bin': { content: noise(5, 9000) },
};
const edited = Buffer.concat([noise(1, 30_000), Buffer.from('new'), noise(1, 60_000).subarray(30_000)]);
const NEW: TestTree = {
  ...OLD,
  'data/1.pak': { content: edited, method: 'stored' },
  'data/4.pak': { content: noise(6, 2000) },
  'shader-3c4d.bin': { content: Buffer.concat([noise(5, 9000), Buffer.from('more')]) },
};
const [OLD_ZIP, NEW_ZIP] = [zipTree(OLD), zipTree(NEW)];
const PACK = packOf(OLD, OLD_ZIP.manifest, NEW, NEW_ZIP.manifest);

test('a small change takes few bytes, wherever the old content is', () => {
  assert.ok(PACK.length < 2000 + 500, `${PACK.length} bytes`);
  const { fetchedBytes, ranges } = planUpdate(OLD_ZIP.manifest, NEW_ZIP.manifest);
  assert.ok(fetchedBytes < 6000, `${fetchedBytes} bytes`);
  assert.ok(ranges.length <= 4);
});

test('files that are the same as before are kept, renamed ones are copied, and unusable ones are not used', () => {
  const renamed: TestTree = {
    'x.pak': OLD['data/1.pak']!,
    run: OLD.run!,
    gone: { content: Buffer.from('gone'), method: 'stored' },
  };
  const { manifest } = zipTree(renamed);
  const plan = planUpdate(OLD_ZIP.manifest, manifest);
  assert.deepEqual(
    plan.kept.map((index) => manifest.entries[index]!.path),
    ['run'],
  );
  assert.equal(plan.fetchedBytes, 4);
  assert.equal(plan.removed.length, 4);
  const without = planUpdate(OLD_ZIP.manifest, manifest, { isUsable: () => false });
  assert.equal(without.kept.length, 0);
  assert.ok(without.fetchedBytes > 60_000);
});

test('near ranges are fetched as one', () => {
  const one = planUpdate({ entries: [], blocks: { ...OLD_ZIP.manifest.blocks, count: 0 } }, OLD_ZIP.manifest);
  assert.equal(one.ranges.length, 1);
  const many = planUpdate({ entries: [], blocks: { ...OLD_ZIP.manifest.blocks, count: 0 } }, OLD_ZIP.manifest, {
    gapBytes: 0,
  });
  assert.ok(many.ranges.length > 4);
  assert.ok(many.fetchedBytes < one.fetchedBytes);
});

test('a difference or a pack for another old version is refused, and so is an unexpected result', () => {
  const [old, next] = [OLD_ZIP.manifest, NEW_ZIP.manifest];
  const difference = encodeDifference(old, next, 'included');
  assert.throws(() => decodeDifference(next, difference), /another old manifest/);
  assert.throws(
    () => completeDraft(decodeDifference(old, difference), new Map(), sha256Of(old)),
    /not the expected one/,
  );
  assert.throws(() => updateByPack(NEW, next, PACK, sha256Of(next)), DeltaError);
  const changedOnDisk = { ...OLD, 'data/1.pak': { content: noise(9, 60_000) } };
  assert.throws(() => updateByPack(changedOnDisk, old, PACK, sha256Of(next)), /not the expected one/);
  const shorterOnDisk = { ...OLD, 'data/1.pak': { content: Buffer.from('short') } };
  assert.throws(() => updateByPack(shorterOnDisk, old, PACK, sha256Of(next)), DeltaError);
});

test('damaged packs and differences never make anything other than the new version', () => {
  const [old, next] = [OLD_ZIP.manifest, NEW_ZIP.manifest];
  const expected = new Map(filesOf(NEW));
  for (const bytes of damage(PACK, 1500, 2)) {
    try {
      const { made } = updateByPack(OLD, old, Buffer.from(bytes), sha256Of(next));
      for (const [path, content] of made) assert.deepEqual(content, expected.get(path));
    } catch (error) {
      if (!(error instanceof DeltaError)) throw error;
    }
  }
  for (const bytes of damage(encodeDifference(old, next, 'included'), 1500, 3)) {
    try {
      const manifest = completeDraft(decodeDifference(old, bytes), new Map(), sha256Of(next));
      assert.deepEqual(encodeManifest(manifest), encodeManifest(next));
    } catch (error) {
      if (!(error instanceof DeltaError)) throw error;
    }
  }
});
