// Decides from samples which files and blocks are worth compressing.
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { KIB } from '@chauffeur/contract/limits';
import { packBlock } from '@chauffeur/deltas/blocks';

/** Media and archives compress to more than this share of their size, which is not worth the time. */
const WORTHWHILE = 0.97;
/** What ends a deflate stream of blocks. A tiny file has to save more than that. */
const STREAM_BYTES = 12;
const SLICE_BYTES = 4 * KIB;
const BLOCK_SLICES = 4;
const FILE_SLICES = 8;
/** A large file may have a part that compresses, so it is sampled in more places. */
const LARGE_FILE_SLICES = 64;
const LARGE_FILE_BYTES = 1024 * KIB;

type ReadSlice = (at: number, length: number) => Buffer | Promise<Buffer>;

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/**
 * Whether a file is worth compressing. It depends on its content only and takes much less time than compressing it, so that
 * it is known early how the file will be in the zip.
 */
export function isFileWorthwhile(size: number, read: ReadSlice): Promise<boolean> {
  return shrinks(size, size > LARGE_FILE_BYTES ? LARGE_FILE_SLICES : FILE_SLICES, read);
}

/** The packed form of a block of a deflated file. Blocks that don't get smaller are stored in the stream. */
export async function packWorthwhile(raw: Buffer, level: number): Promise<Buffer> {
  const isWorthwhile = await shrinks(raw.length, BLOCK_SLICES, (at, length) => raw.subarray(at, at + length));
  return packBlock(raw, isWorthwhile ? level : 0);
}

/** Compresses slices of equal distance at the fastest level. Fewer bytes than they have are sampled as a whole. */
async function shrinks(size: number, slices: number, read: ReadSlice): Promise<boolean> {
  if (size === 0) return false;
  const sample = size <= slices * SLICE_BYTES ? await read(0, size) : await readSlices(size, slices, read);
  const packed = await deflate(sample, { level: 1, chunkSize: 2 * sample.length + 64 });
  return packed.length + STREAM_BYTES < WORTHWHILE * sample.length;
}

async function readSlices(size: number, slices: number, read: ReadSlice): Promise<Buffer> {
  const stride = Math.floor((size - SLICE_BYTES) / (slices - 1));
  const sample: Buffer[] = [];
  for (let index = 0; index < slices; index += 1) sample.push(await read(index * stride, SLICE_BYTES));
  return Buffer.concat(sample);
}
