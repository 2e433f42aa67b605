// Reads the bytes of a blob: a range as a whole, or from the start in steps of any size.
import { MIB } from '@chauffeur/contract/limits';
import type { BlobStore } from './store.ts';

/**
 * Reads the bytes from `start` to `end` (exclusive). Rejects if the blob is shorter; errors of the store pass through.
 */
export async function readBytes(store: BlobStore, key: string, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await store.read(key, { start, end: end - 1 })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== end - start) throw new Error(`The blob ${key} is shorter than recorded`);
  return bytes;
}

/**
 * The blob is read in whole pieces instead of one long stream, because an S3 server closes a connection that is idle
 * while the scanner is busy.
 */
const PIECE_BYTES = 8 * MIB;

/** Yields the bytes of a blob from `first` up to `size` in pieces, and fetches the next piece while one is in use. */
async function* readPieces(
  store: BlobStore,
  key: string,
  size: number,
  first: number,
): AsyncGenerator<Buffer, undefined> {
  const readAt = (start: number) => {
    const piece = readBytes(store, key, start, Math.min(start + PIECE_BYTES, size));
    // Awaited one step later; until then, a failure must not count as unhandled.
    piece.catch(() => {});
    return piece;
  };
  let next = size > first ? readAt(first) : null;
  for (let start = first + PIECE_BYTES; next !== null; start += PIECE_BYTES) {
    const piece: Buffer = await next;
    next = start < size ? readAt(start) : null;
    yield piece;
  }
}

/** A position in a blob that advances as bytes are taken. Holds at most two pieces of 8 MiB. */
export class BlobCursor {
  /** Where in the blob the next byte is. */
  position: number;
  readonly #pieces: AsyncGenerator<Buffer, undefined>;
  #rest: Buffer = Buffer.alloc(0);

  /** Takes bytes from `first` on, and none after the first `size` bytes of the blob. */
  constructor(store: BlobStore, key: string, size: number, first = 0) {
    this.position = first;
    this.#pieces = readPieces(store, key, size, first);
  }

  /** Returns the next `length` bytes in one buffer; fewer at the end of the blob. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /**
   * Yields the next `length` bytes as they arrive; fewer at the end of the blob. Bytes count as taken when they are
   * yielded.
   */
  async *stream(length: number): AsyncGenerator<Buffer, undefined> {
    let remaining = length;
    while (remaining > 0) {
      if (this.#rest.length === 0) this.#rest = (await this.#pieces.next()).value ?? this.#rest;
      if (this.#rest.length === 0) return;
      const part = this.#rest.subarray(0, remaining);
      this.#rest = this.#rest.subarray(part.length);
      this.position += part.length;
      remaining -= part.length;
      yield part;
    }
  }
}
