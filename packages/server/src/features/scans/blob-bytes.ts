// Reads bytes of a blob: a range at once, or from the front in any steps.
import { MIB } from '@chauffeur/contract/limits';
import type { BlobStore } from '../../kernel/blobs/store.ts';

/** Reads the bytes from `start` up to `end` (not included). Rejects when the blob is shorter; errors of the store pass through. */
export async function readBytes(store: BlobStore, key: string, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await store.read(key, { start, end: end - 1 })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== end - start) throw new Error(`The blob ${key} has fewer bytes than were recorded`);
  return bytes;
}

/**
 * Read in whole pieces and not as one long stream: an S3 server closes a connection that stands still while a scanner thinks.
 */
const PIECE_BYTES = 8 * MIB;

/** The bytes of a blob of `size` in pieces; the next piece is under way while one is used. */
async function* readPieces(store: BlobStore, key: string, size: number): AsyncGenerator<Buffer, undefined> {
  const readAt = (start: number) => {
    const piece = readBytes(store, key, start, Math.min(start + PIECE_BYTES, size));
    // It is awaited one step later: until then its failure must not count as unhandled.
    piece.catch(() => {});
    return piece;
  };
  let next = size > 0 ? readAt(0) : null;
  for (let start = PIECE_BYTES; next !== null; start += PIECE_BYTES) {
    const piece: Buffer = await next;
    next = start < size ? readAt(start) : null;
    yield piece;
  }
}

/** A place in a blob that moves forward as bytes are taken. Holds two pieces of 8 MiB, whatever the size of the blob. */
export class BlobCursor {
  /** Bytes taken so far. */
  position = 0;
  readonly #pieces: AsyncGenerator<Buffer, undefined>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(store: BlobStore, key: string, size: number) {
    this.#pieces = readPieces(store, key, size);
  }

  /** The next `length` bytes in one buffer; fewer at the end of the blob. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** The next `length` bytes as they come; fewer at the end of the blob. They count as taken when they are given. */
  async *stream(length: number): AsyncGenerator<Buffer, undefined> {
    let wanted = length;
    while (wanted > 0) {
      if (this.#rest.length === 0) this.#rest = (await this.#pieces.next()).value ?? this.#rest;
      if (this.#rest.length === 0) return;
      const part = this.#rest.subarray(0, wanted);
      this.#rest = this.#rest.subarray(part.length);
      this.position += part.length;
      wanted -= part.length;
      yield part;
    }
  }
}
