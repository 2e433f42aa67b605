import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { BlockSet, bundleHead, lengthOf, makeRecipe, readBundleHead, readFramedBlock, readRecipe } from './bundle.ts';
import { DEFAULT_SIZES } from './cutter.ts';
import { DeltaError } from './error.ts';
import { BLOCK_HASH_BYTES, encodeManifest, packManifest } from './manifest.ts';

const CONTENT = Buffer.from('content');
const SHA256 = createHash('sha256').update(CONTENT).digest();

function recipeOf(path: string) {
  return makeRecipe({
    origin: { game: '', build: '', file: '', version: '1', os: 'linux', arch: 'x86_64' },
    sizes: DEFAULT_SIZES,
    entries: [
      { path, type: 'file', mode: 0o644, size: 7, sha256: SHA256, method: 'stored', firstBlock: 0, blocks: 1 },
      { path: 'z', type: 'link', target: 'y' },
    ],
    blocks: { count: 1, hashes: SHA256.subarray(0, BLOCK_HASH_BYTES), lengths: Uint32Array.of(7) },
  });
}

function readerOf(bytes: Buffer) {
  let at = 0;
  return async (count: number) => {
    if (at + count > bytes.length) throw new DeltaError('The bundle ends too early.');
    at += count;
    return bytes.subarray(at - count, at);
  };
}

const packed = packManifest(encodeManifest(recipeOf('y')));
const included = new BlockSet(1);
included.add(0);
const bundle = Buffer.concat([
  bundleHead(packed, { crcs: Uint32Array.of(0xfedcba98), included }),
  lengthOf(CONTENT.length),
  CONTENT,
]);

test('a bundle is read as it was written', async () => {
  const read = readerOf(bundle);
  const head = await readBundleHead(read);
  assert.deepEqual(head.recipe, readRecipe(packed));
  assert.deepEqual([...head.crcs], [0xfedcba98]);
  assert.equal(head.included.has(0), true);
  assert.deepEqual(await readFramedBlock(read, 7), CONTENT);
});

test('a bundle that is cut anywhere is refused', async () => {
  for (let length = 0; length < bundle.length; length += 1) {
    const read = readerOf(bundle.subarray(0, length));
    await assert.rejects(async () => {
      await readBundleHead(read);
      await readFramedBlock(read, 7);
    }, DeltaError);
  }
});

test('other formats, impossible lengths and paths that leave the folder are refused', async () => {
  const [magic, length] = [Buffer.from(bundle), Buffer.from(bundle)];
  magic[4] = 2;
  length.writeUInt32LE(0xffffffff, 5);
  for (const bad of [magic, length]) await assert.rejects(readBundleHead(readerOf(bad)), DeltaError);
  for (const bytes of [0, 8, 0xffffffff])
    await assert.rejects(readFramedBlock(readerOf(Buffer.concat([lengthOf(bytes), CONTENT])), 7), DeltaError);
  assert.throws(() => readRecipe(packManifest(encodeManifest(recipeOf('../y')))), DeltaError);
});
