// Turns a Node stream into a byte source, whose errors wait for the reader instead of being emitted unhandled.
import type { Readable } from 'node:stream';

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
