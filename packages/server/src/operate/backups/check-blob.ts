// Checks one blob against the row that refers to it.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import type { BlobReference } from './references.sql.ts';

/** `detail` says what is wrong with a damaged blob. */
export type BlobProblem = { readonly key: string; readonly problem: 'missing' | 'damaged'; readonly detail: string };

const UNPACKERS = { gzip: createGunzip, zstd: createZstdDecompress };

/** Reads the blob and returns what is wrong with it; null if it is intact. Errors of the store pass through. */
export async function checkBlob(blobs: BlobStore, reference: BlobReference): Promise<BlobProblem | null> {
  const { key, size, sha256, packing } = reference;
  const stored = await blobs.stat(key);
  if (stored === null) return { key, problem: 'missing', detail: 'there is no such blob' };
  if (packing === null && size !== null && stored.size !== size) return damaged(key, stored.size, size);
  try {
    const content = await readContent(blobs, reference, stored.size);
    if (content === null) return { key, problem: 'damaged', detail: `cannot be unpacked` };
    if (size !== null && content.size !== size) return damaged(key, content.size, size);
    const isSame = sha256 === null || content.sha256 === sha256;
    return isSame ? null : { key, problem: 'damaged', detail: `SHA-256 ${content.sha256} instead of ${sha256}` };
  } catch (error) {
    if (error instanceof BlobMissingError) return { key, problem: 'missing', detail: 'there is no such blob' };
    throw error;
  }
}

function damaged(key: string, size: number, expected: number): BlobProblem {
  return { key, problem: 'damaged', detail: `${size} bytes instead of ${expected}` };
}

/** The size and the checksum of the unpacked content; null if the blob cannot be unpacked. */
async function readContent(
  blobs: BlobStore,
  { key, packing }: BlobReference,
  storedSize: number,
): Promise<{ size: number; sha256: string } | null> {
  const hash = createHash('sha256');
  let size = 0;
  const stored = new BlobCursor(blobs, key, storedSize).stream(storedSize);
  let failure: unknown;
  async function* guarded(): AsyncGenerator<Buffer> {
    try {
      yield* stored;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  try {
    for await (const bytes of packing === null ? guarded() : unpack(guarded(), packing)) {
      size += bytes.length;
      hash.update(bytes);
    }
  } catch (error) {
    // An error of the store says nothing about the blob.
    if (failure !== undefined || packing === null) throw failure ?? error;
    return null;
  }
  return { size, sha256: hash.digest('hex') };
}

function unpack(source: AsyncIterable<Buffer>, packing: 'gzip' | 'zstd'): AsyncIterable<Uint8Array> {
  const unpacker = UNPACKERS[packing]();
  pipeline(source, unpacker, () => undefined);
  return bytesOf(() => unpacker);
}
