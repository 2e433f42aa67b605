// The thread of `makePatch`: makes the difference of two manifests, or the patch pack between two zips.
import { createHash, hash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { setPriority } from 'node:os';
import { GIB, MIB } from '@chauffeur/contract/limits';
import { filesOf } from '@chauffeur/deltas/address-space';
import { DeltaError } from '@chauffeur/deltas/error';
import { makePack, type PackPlan, planPack } from '@chauffeur/deltas/make-pack';
import { decodeManifest, type FileEntry, type Manifest, unpackManifest } from '@chauffeur/deltas/manifest';
import { encodeDifference } from '@chauffeur/deltas/manifest-difference';
import { planUpdate } from '@chauffeur/deltas/plan';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { DifferenceOutput, PackOutput, PatchInput, ZipBlobs } from './make-patch.ts';
import { openSpool, spoolContent, writeFully } from './spool-content.ts';

/** Up to this size, all old files are searched; beyond it, only changed files, because others rarely help. */
const SEARCHED_BYTES = GIB;
/** The most old and new content in temporary files. */
const MAX_SPOOLED_BYTES = 4 * GIB;

/** The pack would be larger than it may be. */
class NotSmaller extends Error {}

// On Linux, this only concerns this thread: requests come first. Elsewhere it would concern the whole process.
if (process.platform === 'linux') setPriority(10);

await answerTask(async (input: PatchInput): Promise<DifferenceOutput | PackOutput> => {
  const store = openBlobStore(input.blobSettings);
  try {
    const [old, next] = [await readManifest(store, input.from), await readManifest(store, input.to)];
    return input.make === 'difference'
      ? await makeDifference(store, old, next, input)
      : await makePackBlob(store, planPack(old, next), input);
  } finally {
    await store.close();
  }
});

async function readManifest(store: BlobStore, { manifestKey, manifestSize }: ZipBlobs): Promise<Manifest> {
  return decodeManifest(unpackManifest(await readBytes(store, manifestKey, 0, manifestSize)));
}

async function makeDifference(
  store: BlobStore,
  old: Manifest,
  next: Manifest,
  { key }: PatchInput,
): Promise<DifferenceOutput> {
  const difference = encodeDifference(old, next, 'included');
  await store.putWhole(key, difference);
  return {
    size: difference.length,
    sha256: hash('sha256', difference),
    blocksSize: planUpdate(old, next).fetchedBytes,
  };
}

async function makePackBlob(store: BlobStore, plan: PackPlan, input: PatchInput): Promise<PackOutput> {
  const { from, to, key, maxBytes, folder } = input;
  const readable = readableOf(plan);
  if (sizeOf(plan.old, readable) > MAX_SPOOLED_BYTES || sizeOf(plan.next, plan.made) > MAX_SPOOLED_BYTES)
    return { outcome: 'too_large' };
  const readOld = await spoolContent({ store, key: from.zipKey, manifest: plan.old }, readable, folder);
  const readNew = await spoolContent({ store, key: to.zipKey, manifest: plan.next }, plan.made, folder);
  const file = openSpool(folder, maxBytes);
  const usable = new Set(readable);
  let size = 0;
  try {
    const index = makePack(plan, {
      readOld,
      readNew,
      isReadable: (entry) => usable.has(entry),
      write(bytes) {
        if (size + bytes.length > maxBytes) throw new NotSmaller();
        writeFully(file, bytes, size);
        size += bytes.length;
      },
    });
    if (index.length + size > maxBytes) return { outcome: 'not_smaller' };
    const sha256 = createHash('sha256');
    const stored = await store.put(
      key,
      bytesOfPack(index, file, size, (bytes) => sha256.update(bytes)),
    );
    return { outcome: 'made', size: stored, sha256: sha256.digest('hex') };
  } catch (error) {
    if (error instanceof NotSmaller) return { outcome: 'not_smaller' };
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The old files that are searched. */
function readableOf({ old, next }: PackPlan): number[] {
  const all = filesOf(old.entries);
  if (sizeOf(old, all) <= SEARCHED_BYTES) return all;
  const keyOf = (entry: FileEntry) => entry.sha256.toString('latin1');
  const kept = new Set(filesOf(next.entries).map((index) => keyOf(next.entries[index] as FileEntry)));
  return all.filter((index) => !kept.has(keyOf(old.entries[index] as FileEntry)));
}

function sizeOf({ entries }: Manifest, indices: readonly number[]): number {
  return indices.reduce((sum, index) => sum + (entries[index] as FileEntry).size, 0);
}

async function* bytesOfPack(index: Buffer, file: number, size: number, onBytes: (bytes: Buffer) => void) {
  onBytes(index);
  yield index;
  for (let at = 0; at < size; ) {
    const bytes = Buffer.allocUnsafe(Math.min(MIB, size - at));
    const count = readSync(file, bytes, 0, bytes.length, at);
    if (count === 0) throw new DeltaError('a temporary file is too short');
    at += count;
    onBytes(bytes.subarray(0, count));
    yield bytes.subarray(0, count);
  }
}
