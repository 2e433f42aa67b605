// Turns Node streams into byte sources, whose errors wait for the reader instead of being emitted unhandled.
import type { Readable } from 'node:stream';
import { KIB } from '@chauffeur/contract/limits';
import type { ByteRange } from './store.ts';

/**
 * The bytes of a stream that `open` creates when reading begins, and that is destroyed when reading ends. A source that
 * is never read opens nothing.
 */
export async function* bytesOf(open: () => Readable): AsyncGenerator<Uint8Array, undefined> {
  const stream = open();
  stream.on('error', () => undefined);
  yield* stream as AsyncIterable<Uint8Array>;
}

/** The bytes of a stream that is already open. Its owner destroys it; reading may stop anywhere. */
export function bytesOfOpen(stream: Readable): AsyncIterable<Uint8Array, undefined> {
  stream.on('error', (error) => stream.destroy(error));
  return {
    [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>,
  };
}

/** A source of a single buffer. */
export async function* bytesOfBuffer(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
}

/** The bytes of a range of `source`, which is read no further than the end of the range. */
export async function* cutRange(source: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const bytes of source) {
    const piece = bytes.subarray(Math.max(0, start - position), end + 1 - position);
    position += bytes.length;
    if (piece.length > 0) yield piece;
    if (position > end) return;
  }
}

/** The parser of forms uses a buffer of the length of the boundary again and again, which fits into a header. */
const MIN_FREED_BYTES = 32 * KIB;

/**
 * Frees the memory of a buffer at once. V8 keeps buffers outside its heap, and collects the whole heap for every 64 MB
 * of them, which more than doubled the CPU time for receiving 1 GiB (without the time in the operating system;
 * bench/README.md). A buffer that is small or shares its memory with others is left to the garbage collector.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < MIN_FREED_BYTES) return;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
