// Packs blocks as parts of a deflate stream that can be unpacked alone, and unpacks them.
import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { DeltaError } from './error.ts';
import { free } from './memory.ts';

/** Ends the deflate stream of an entry after its last block: an empty final block with fixed codes (RFC 1951, 3.2.6). */
export const STREAM_END = Buffer.from([0x03, 0x00]);
/** The largest stored block of deflate (RFC 1951, 3.2.4: LEN has 16 bits). */
const STORED_BYTES = 0xffff;
const STORED_HEADER_BYTES = 5;
/** The lengths of an empty stored block, with which each flush of deflate ends. */
export const FLUSH_END = Buffer.from([0x00, 0x00, 0xff, 0xff]);
const EMPTY_BLOCK = Buffer.concat([Buffer.from([0x00]), FLUSH_END]);
/** Space for the flush after a block that hardly gets smaller. */
const SPARE_BYTES = 64;

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/**
 * The packed form of `raw`: whole deflate blocks that refer to nothing before them and end at a byte boundary. The forms of
 * several blocks, one after the other and followed by `STREAM_END`, are the deflate stream of them all.
 * @param level 1 (fast) to 9 (small); 0 stores the bytes
 */
export async function packBlock(raw: Buffer, level: number): Promise<Buffer> {
  if (level === 0) return storeBlock(raw);
  const packed = await deflate(raw, optionsOf(raw, level));
  // Copied, because the buffer from zlib keeps the whole chunk in memory.
  return packed.length < storedLength(raw.length) ? Buffer.from(packed) : storeBlock(raw);
}

/** Does what `packBlock` does, on the calling thread. */
export function packBlockSync(raw: Buffer, level: number): Buffer {
  if (level === 0) return storeBlock(raw);
  const packed = deflateRawSync(raw, optionsOf(raw, level));
  return packed.length < storedLength(raw.length) ? packed : storeBlock(raw);
}

function optionsOf(raw: Buffer, level: number) {
  // A full flush ends at a byte boundary, and what follows refers to nothing before it (zlib manual, deflate()). With
  // memLevel 7, the codes fit shorter parts of a program, which saves some of what the lost window costs.
  return {
    level,
    memLevel: 7,
    // Space for the whole output: each additional chunk is a round trip to the thread pool.
    chunkSize: storedLength(raw.length) + SPARE_BYTES,
    finishFlush: constants.Z_FULL_FLUSH,
  };
}

/**
 * Unpacks one block. Throws DeltaError unless the result has exactly `length` bytes; `packed` may be hostile. `length` has to
 * be bounded.
 */
export function unpackBlock(packed: Uint8Array, length: number): Buffer {
  const stream = Buffer.allocUnsafeSlow(packed.length + STREAM_END.length);
  stream.set(packed);
  stream.set(STREAM_END, packed.length);
  let raw: Buffer;
  try {
    raw = inflateWhole(stream, length);
  } catch (cause) {
    throw new DeltaError('A packed block is damaged.', { cause });
  } finally {
    free(stream);
  }
  if (raw.length !== length) throw new DeltaError('A packed block has another length than the manifest says.');
  return raw;
}

/** Inflates to at most `length` bytes, which are in one buffer: more of them would be copied into one at the end. */
export function inflateWhole(packed: Uint8Array, length: number): Buffer {
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, length), chunkSize: length + SPARE_BYTES });
}

/**
 * The bytes as stored blocks of deflate: five bytes more for each 64 KiB. The last one is empty, as a flush writes it, so
 * that all packed blocks end alike, and can be found in a stream.
 */
function storeBlock(raw: Buffer): Buffer {
  const packed = Buffer.allocUnsafe(storedLength(raw.length));
  let to = 0;
  for (let at = 0; at < raw.length; at += STORED_BYTES) {
    const slice = raw.subarray(at, at + STORED_BYTES);
    packed.writeUInt8(0, to);
    packed.writeUInt16LE(slice.length, to + 1);
    packed.writeUInt16LE(~slice.length & 0xffff, to + 3);
    packed.set(slice, to + STORED_HEADER_BYTES);
    to += STORED_HEADER_BYTES + slice.length;
  }
  packed.set(EMPTY_BLOCK, to);
  return packed;
}

/** The packed length of `length` bytes that are stored. A block is never longer. */
export function storedLength(length: number): number {
  return length + STORED_HEADER_BYTES * Math.ceil(length / STORED_BYTES) + EMPTY_BLOCK.length;
}
