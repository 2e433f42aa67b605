// Unpacks the deflate stream of an entry, and finds the blocks in it that can be unpacked alone. Zips of other programs
// have none, and are unpacked as one stream.
import { pipeline } from 'node:stream/promises';
import { constants, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import { FLUSH_END, STREAM_END, storedLength } from './blocks.ts';

/** Bytes of the content of an entry and of its packed form. */
type BlockLengths = { readonly length: number; readonly packed: number };

/** `blocks` is null if the stream isn't made of blocks; `used` is the length of the stream, which may be followed by others. */
export type FoundBlocks = { readonly blocks: readonly BlockLengths[] | null; readonly used: number };

/**
 * How often what looks like the end of a block may be a part of it. Random bytes hardly ever do; each attempt costs as
 * much as unpacking the block.
 */
const MAX_ATTEMPTS = 4;
const WINDOW_BYTES = 32 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** How long a block is at most. */
type Limits = { readonly maxBlockBytes: number };

/**
 * Yields the content of the deflate stream in `packed`, and returns where its blocks are. At most one block and what has
 * to be unpacked with it are in memory. Throws the errors of zlib for damaged data.
 */
export async function* unpackFindingBlocks(
  packed: AsyncGenerator<Buffer>,
  { maxBlockBytes }: Limits,
): AsyncGenerator<Buffer, FoundBlocks> {
  const maxPacked = storedLength(maxBlockBytes);
  const blocks: BlockLengths[] = [];
  let window = Buffer.alloc(0);
  // What follows the last block, and how much of it was searched for the end of another one.
  let pending: Buffer = Buffer.alloc(0);
  let searched = 0;
  let attempts = 0;
  let used = 0;
  for (;;) {
    const { value, done } = await packed.next();
    if (done) break;
    pending = pending.length === 0 ? value : Buffer.concat([pending, value]);
    for (;;) {
      const at = pending.indexOf(FLUSH_END, searched);
      if (at < 0) break;
      const end = at + FLUSH_END.length;
      const raw = end > maxPacked ? null : unpackAlone(pending.subarray(0, end), maxBlockBytes);
      searched = at + 1;
      attempts += 1;
      if (raw === null && attempts < MAX_ATTEMPTS) continue;
      if (raw === null) return yield* unpackRest(pending, packed, window, used);
      blocks.push({ length: raw.length, packed: end });
      window = lastBytes(window, raw);
      used += end;
      pending = pending.subarray(end);
      searched = 0;
      attempts = 0;
      yield raw;
    }
    searched = Math.max(searched, pending.length - FLUSH_END.length + 1);
    if (pending.length > maxPacked) return yield* unpackRest(pending, packed, window, used);
  }
  if (pending.equals(STREAM_END)) return { blocks, used: used + pending.length };
  return yield* unpackRest(pending, packed, window, used);
}

/** The content of bytes that are whole blocks of deflate and refer to nothing before them; null for others. */
function unpackAlone(packed: Buffer, maxBytes: number): Buffer | null {
  const stream = Buffer.concat([packed, STREAM_END]);
  try {
    // With `info`, the function returns more than its type declares.
    const { buffer, engine } = inflateRawSync(stream, { info: true, maxOutputLength: maxBytes }) as unknown as {
      buffer: Buffer;
      engine: InflateRaw;
    };
    return engine.bytesWritten === stream.length && buffer.length > 0 ? buffer : null;
  } catch {
    return null;
  }
}

function lastBytes(before: Buffer, next: Buffer): Buffer<ArrayBuffer> {
  const whole = next.length >= WINDOW_BYTES ? next : Buffer.concat([before, next]);
  return Buffer.from(whole.subarray(Math.max(0, whole.length - WINDOW_BYTES)));
}

/** Unpacks what isn't made of blocks; `window` is the content before it. */
async function* unpackRest(
  pending: Buffer,
  packed: AsyncGenerator<Buffer>,
  window: Buffer,
  used: number,
): AsyncGenerator<Buffer, FoundBlocks> {
  const inflater = createInflateRaw({
    chunkSize: CHUNK_BYTES,
    finishFlush: constants.Z_FINISH,
    ...(window.length > 0 && { dictionary: window }),
  });
  async function* rest() {
    if (pending.length > 0) yield pending;
    yield* packed;
  }
  // Errors reach the reader of the inflater below.
  pipeline(rest, inflater).catch(() => {});
  try {
    yield* inflater as AsyncIterable<Buffer>;
    return { blocks: null, used: used + inflater.bytesWritten };
  } finally {
    inflater.destroy();
  }
}
