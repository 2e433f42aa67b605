// Looks at the first bytes of a source before they are passed on.
import type { ByteSource } from '../../kernel/blobs/store.ts';

export type Peeked = {
  /** The first bytes: as many as were asked for or a few more; fewer when the source is shorter. */
  readonly head: Buffer;
  /** All bytes, those of the head again. Can be read once; to leave it early ends the source. */
  readonly all: AsyncIterable<Uint8Array>;
  /** Ends the source, in place of reading it: a generator that was not begun would not do so by itself. */
  discard(): Promise<void>;
};

export async function peek(source: ByteSource, bytes: number): Promise<Peeked> {
  const rest = source[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let size = 0;
  while (size < bytes) {
    const { done, value } = await rest.next();
    if (done) break;
    seen.push(value);
    size += value.length;
  }
  const head = Buffer.concat(seen);
  return {
    head,
    all: behind(head, rest),
    async discard() {
      await rest.return?.();
    },
  };
}

async function* behind(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
