// Writes and reads the numbers of the formats. Reading is bounded, because the bytes may be hostile.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DeltaError } from './error.ts';
import { free } from './memory.ts';

/** Seven bits in each byte, the lowest first; the highest bit says whether another byte follows. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    free(this.#bytes);
    this.#bytes = larger;
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /** A number that may be negative, with its sign in the lowest bit: 0, -1, 1, -2, … are 0, 1, 2, 3, … */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A text in UTF-8 after its length in bytes. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.varint(bytes.length);
    this.bytes(bytes);
  }

  /** Nothing may be written afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Gives the memory back, also that of what `finish` returned. */
  close(): void {
    free(this.#bytes);
  }
}

/** Every method throws DeltaError if the bytes end before the value, or if the value is above its limit. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  varint(limit: number = Number.MAX_SAFE_INTEGER): number {
    const start = this.#at;
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at++] ?? fail('The bytes end in a number.');
      value += (byte & 0x7f) * scale;
      if (value > limit || scale > 2 ** 49) throw new DeltaError('A number is above its limit.');
      if (byte >= 0x80) continue;
      // Only the shortest form is valid, so that equal content has equal bytes.
      if (byte === 0 && this.#at - start > 1) throw new DeltaError('A number is padded.');
      return value;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  bytes(count: number): Buffer {
    if (count > this.left) throw new DeltaError('The bytes end too early.');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  text(maxBytes: number): string {
    const bytes = this.bytes(this.varint(maxBytes));
    const text = bytes.toString();
    if (!Buffer.from(text).equals(bytes)) throw new DeltaError('A text is not UTF-8.');
    return text;
  }

  /** Throws DeltaError unless everything was read. */
  end(): void {
    if (this.left > 0) throw new DeltaError('There are bytes after the end.');
  }
}

function fail(message: string): never {
  throw new DeltaError(message);
}

/** Smaller tables than those of the highest levels: 30 instead of 82 MiB for four megabytes, of which 0.01 % are lost. */
const TABLES = { [constants.ZSTD_c_chainLog]: 22, [constants.ZSTD_c_hashLog]: 21 };
const HIGH_LEVEL = 16;

/** One frame of Zstandard (RFC 8878) that states its content's size. */
export function compress(bytes: Uint8Array, level: number): Buffer {
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: level, ...(level >= HIGH_LEVEL && TABLES) },
    pledgedSrcSize: bytes.length,
  });
}

/** What zlib needs at least. */
const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024 + MIN_CHUNK_BYTES;
/** Frames that need more than this power of two in memory are refused; the highest level needs 8 MiB. */
const MAX_WINDOW_LOG = 23;

/** Throws DeltaError unless `packed` is one frame with exactly `length` bytes. */
export function decompress(packed: Uint8Array, length: number): Buffer {
  let bytes: Buffer;
  try {
    bytes = zstdDecompressSync(packed, {
      maxOutputLength: Math.max(1, length),
      // One buffer for all, instead of many that are copied into it at the end.
      chunkSize: Math.min(length + MIN_CHUNK_BYTES, MAX_CHUNK_BYTES),
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
  } catch (cause) {
    throw new DeltaError('Compressed bytes are damaged.', { cause });
  }
  if (bytes.length !== length) throw new DeltaError('Compressed bytes have another length than expected.');
  return bytes;
}
