// Unpacks files that were compressed before they were sent, such as `crash.dmp.gz`, as they arrive. They are recognized
// by their first bytes, whatever they are called.
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { KIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { bytesOfBuffer, bytesOfOpen } from './byte-source.ts';
import { peek } from './peek.ts';
import type { ByteSource } from './store.ts';

export type Packing = 'gzip' | 'zstd';

/** A compressed file cannot be unpacked. The message is a clause that says why. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError';
  readonly packing: Packing;

  constructor(packing: Packing, problem: string, options: ErrorOptions = {}) {
    super(problem, options);
    this.packing = packing;
  }
}

/** The first bytes: of gzip with its only method, and of a frame of zstd. */
const STARTS: Readonly<Record<Packing, Buffer>> = {
  gzip: Buffer.from([0x1f, 0x8b, 0x08]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
};
const START_BYTES = 4;

/** Null for bytes that are not compressed in a known way. */
export function packingOf(start: Uint8Array): Packing | null {
  if (STARTS.gzip.equals(start.subarray(0, STARTS.gzip.length))) return 'gzip';
  return STARTS.zstd.equals(start.subarray(0, STARTS.zstd.length)) ? 'zstd' : null;
}

/** The limit of the output while it is small: a dump of an almost empty process has long runs of zeros. */
const FREE_BYTES = 16 * MIB;
/**
 * RFC 8878 recommends this limit. A frame may demand more memory, up to 128 MiB, which every connection would hold for
 * as long as it is open. Only levels from 20 on use more.
 */
const WINDOW_LOG = 23;
const CHUNK_BYTES = 256 * KIB;

const UNPACKERS: Readonly<Record<Packing, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  zstd: () => createZstdDecompress({ chunkSize: CHUNK_BYTES, params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } }),
};

/** A stream that unpacks in other threads, with bounded memory. */
export function createUnpacker(packing: Packing): Transform & { readonly bytesWritten: number } {
  return UNPACKERS[packing]();
}

/**
 * The bytes of a file, unpacked if it is compressed. Reading throws UnpackError for a file that is damaged, cut off, or
 * much smaller than its content, and errors of the source. The reader bounds the size.
 */
export async function* unpackFile(source: ByteSource): AsyncGenerator<Uint8Array, undefined> {
  const { head, all } = await peek(source, START_BYTES);
  const packing = packingOf(head);
  yield* packing === null ? all : unpack(all, packing);
}

async function* unpack(source: ByteSource, packing: Packing): AsyncGenerator<Uint8Array, undefined> {
  const unpacker = createUnpacker(packing);
  // An error of the source reaches the other end, which is read below.
  const feeding = pipeline(source, unpacker).catch(() => undefined);
  let size = 0;
  try {
    for await (const bytes of bytesOfOpen(unpacker)) {
      size += bytes.length;
      if (size > FREE_BYTES && size > LIMITS.zipRatio * unpacker.bytesWritten)
        throw new UnpackError(packing, `it unpacks to more than ${LIMITS.zipRatio} times its size`);
      yield bytes;
    }
  } catch (error) {
    throw isDamage(error) ? new UnpackError(packing, 'it is damaged or cut off', { cause: error }) : error;
  } finally {
    unpacker.destroy();
    await feeding;
  }
}

/** Whether the error is the unpacker's own. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z(?:STD)?_/.test(String(error.code));
}

/** Enough packed bytes for the first block of any file. */
const FIRST_BLOCK_BYTES = 256 * KIB;

/**
 * Whether a file, unpacked if it is compressed, begins with `start`. `all` are its bytes as they were sent, from the
 * first one on.
 */
export async function beginsWith(
  source: ByteSource,
  start: Uint8Array,
): Promise<{ matches: boolean; all: AsyncIterable<Uint8Array> }> {
  const { head, all } = await peek(source, START_BYTES);
  const packing = packingOf(head);
  if (packing === null) return { matches: startsWith(head, start), all };
  const block = await peek(all, FIRST_BLOCK_BYTES);
  return { matches: startsWith(await firstUnpacked(block.head, packing), start), all: block.all };
}

/** The first bytes of a file of which only the start is known; none if it is damaged. */
async function firstUnpacked(packed: Uint8Array, packing: Packing): Promise<Uint8Array> {
  try {
    // A copy, because a thread may still read it when the reader of the whole file has released the bytes.
    for await (const bytes of unpack(bytesOfBuffer(Buffer.from(packed)), packing)) return bytes;
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error;
  }
  return Buffer.alloc(0);
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
}
