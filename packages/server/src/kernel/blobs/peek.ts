// Reads the first bytes of a source without consuming them.
import type { ByteSource } from './store.ts';

export type Peeked = {
  /** The requested number of first bytes, or more; fewer if the source is shorter. */
  readonly head: Buffer;
  /** All bytes, including the head. Can be read once; leaving it early ends the source. */
  readonly all: AsyncIterable<Uint8Array>;
  /**
   * Ends the source without reading it. Needed because ending a generator that never started would not end its source.
   */
  discard(): Promise<void>;
};

export async function peek(source: ByteSource, bytes: number): Promise<Peeked> {
  const rest = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < bytes) {
    const { done, value } = await rest.next();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  const [first = Buffer.alloc(0)] = chunks;
  // One chunk is passed on as it is, so that its memory can be released.
  const head =
    chunks.length > 1 ? Buffer.concat(chunks) : Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return {
    head,
    all: concat(head, rest),
    async discard() {
      await rest.return?.();
    },
  };
}

async function* concat(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
