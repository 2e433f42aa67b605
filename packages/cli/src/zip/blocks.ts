// Compresses the blocks of a file separately; their concatenated outputs are a single deflate stream.
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, deflateRaw } from 'node:zlib';
import { KIB, MIB } from '@chauffeur/contract/limits';

/** Files are split at multiples of this, so the blocks of a large file can be compressed in parallel. */
export const BLOCK_BYTES = MIB;
/** The window of deflate (RFC 1951, section 2): the end of the previous block, passed as a dictionary. */
export const WINDOW_BYTES = 32 * KIB;
/** The largest stored block of deflate (RFC 1951, 3.2.4: LEN has 16 bits). */
const STORED_BYTES = 0xffff;
const STORED_HEADER_BYTES = 5;
/** Space for the flush after a block that hardly compresses; also zlib's minimum chunk size. */
const SPARE_BYTES = 64;
/** Media and archives compress to more than this share of their size, which is not worth the time. */
const WORTHWHILE = 0.97;
const SAMPLE_SLICES = 8;
const SLICE_BYTES = 4 * KIB;
/** A file of several blocks may have a part that compresses, so it is sampled in more places. */
const FILE_SLICES = 64;

export type Block = {
  raw: Buffer;
  /** Up to 32 KiB before the block in the same file. */
  window: Buffer;
  /** Whether it is the last block of the deflate stream. */
  last: boolean;
};

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/**
 * Compresses a block to a part of a deflate stream, byte-aligned at both ends. Returns null if it does not get smaller and must be
 * stored. Runs on the thread pool.
 * @param level 1 (fast) to 9 (small); 0 stores everything
 */
export async function compressBlock(block: Block, level: number): Promise<Buffer | null> {
  const { raw, window, last } = block;
  if (level === 0 || raw.length === 0 || !(await isWorthwhile(raw))) return null;
  const packed = await deflate(raw, {
    level,
    // Space for the whole output: each additional chunk is a round trip to the thread pool.
    chunkSize: storedLength(raw.length) + SPARE_BYTES,
    // A sync flush ends at a byte boundary, where the next block can be appended (zlib manual, deflate()).
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(window.length > 0 && { dictionary: window }),
  });
  // Copied, because the buffer from zlib keeps the whole chunk in memory.
  return packed.length < storedLength(raw.length) ? Buffer.from(packed) : null;
}

/** Where to sample `length` bytes: slices of equal distance, from the first to the last. */
function sliceOffsets(length: number, count: number): number[] {
  const stride = Math.floor((length - SLICE_BYTES) / (count - 1));
  return Array.from({ length: count }, (_, index) => index * stride);
}

/** Estimates whether compression is worthwhile, from a sample of slices. */
async function isWorthwhile(raw: Buffer): Promise<boolean> {
  if (raw.length <= SAMPLE_SLICES * SLICE_BYTES) return true;
  return shrinks(sliceOffsets(raw.length, SAMPLE_SLICES).map((at) => raw.subarray(at, at + SLICE_BYTES)));
}

/** Estimates whether a file of more than one block is worth compressing. */
export async function isFileWorthwhile(handle: FileHandle, size: number): Promise<boolean> {
  const slices: Buffer[] = [];
  for (const at of sliceOffsets(size, FILE_SLICES)) {
    const slice = Buffer.alloc(SLICE_BYTES);
    const { bytesRead } = await handle.read(slice, 0, SLICE_BYTES, at);
    slices.push(slice.subarray(0, bytesRead));
  }
  return shrinks(slices);
}

/** Compresses at the fastest level. */
async function shrinks(slices: readonly Buffer[]): Promise<boolean> {
  const sample = Buffer.concat(slices);
  const packed = await deflate(sample, { level: 1, chunkSize: 2 * sample.length });
  return packed.length < WORTHWHILE * sample.length;
}

/** The block as stored blocks of a deflate stream (RFC 1951, 3.2.4): no copy, five bytes for each 64 KiB. */
export function storeBlock(raw: Buffer, last: boolean): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < raw.length; at += STORED_BYTES) {
    const slice = raw.subarray(at, at + STORED_BYTES);
    const header = Buffer.alloc(STORED_HEADER_BYTES);
    header.writeUInt8(last && at + STORED_BYTES >= raw.length ? 1 : 0, 0);
    header.writeUInt16LE(slice.length, 1);
    header.writeUInt16LE(~slice.length & 0xffff, 3);
    pieces.push(header, slice);
  }
  return pieces;
}

/** The length of the output of `storeBlock` for `length` bytes. */
export function storedLength(length: number): number {
  return length + STORED_HEADER_BYTES * Math.ceil(length / STORED_BYTES);
}
