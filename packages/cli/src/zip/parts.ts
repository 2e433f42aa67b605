// Splits entries into parts that are read and compressed in parallel.
import { open } from 'node:fs/promises';
import { LocalError } from '../failures.ts';
import { BLOCK_BYTES, type Block, compressBlock, storeBlock, WINDOW_BYTES } from './blocks.ts';
import type { Entry } from './entries.ts';
import { DEFLATED, STORED } from './records.ts';

/** An entry, or one block of a large file. */
export type Part = { entry: Entry; start: number; isFirst: boolean; isLast: boolean };
/** `raw` is the content before compression, `packed` the pieces for the archive. */
export type PackedPart = Part & { raw: Buffer; packed: Buffer[]; method: typeof STORED | typeof DEFLATED };

/** The parts of all entries, in archive order. */
export function* partsOf(entries: readonly Entry[]): Generator<Part> {
  for (const entry of entries) {
    let start = 0;
    do {
      const end = start + BLOCK_BYTES;
      yield { entry, start, isFirst: start === 0, isLast: end >= entry.size };
      start = end;
    } while (start < entry.size);
  }
}

/** Reads and compresses a part. Rejects with LocalError if the file cannot be read or has changed since it was listed. */
export async function packPart(part: Part, level: number): Promise<PackedPart> {
  const block = await readPart(part);
  const compressed = await compressBlock(block, level);
  const { raw } = block;
  if (part.isFirst && part.isLast) {
    const isSmaller = compressed !== null && compressed.length < raw.length;
    return isSmaller
      ? { ...part, raw, packed: [compressed], method: DEFLATED }
      : { ...part, raw, packed: [raw], method: STORED };
  }
  // Blocks that do not get smaller are stored inside the deflate stream, so the whole file has one method.
  return { ...part, raw, packed: compressed ? [compressed] : storeBlock(raw, part.isLast), method: DEFLATED };
}

async function readPart({ entry, start, isLast }: Part): Promise<Block> {
  if (entry.kind !== 'file') return { raw: Buffer.from(entry.target), window: Buffer.alloc(0), last: true };
  const from = Math.max(0, start - WINDOW_BYTES);
  const bytes = Buffer.allocUnsafeSlow(Math.min(start + BLOCK_BYTES, entry.size) - from);
  await using handle = await open(entry.source).catch((cause: unknown) => {
    throw new LocalError(`${entry.path}: cannot be read.`, 'Check its permissions.', { cause });
  });
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
  const now = await handle.stat();
  if (bytesRead < bytes.length || now.size !== entry.size || now.mtimeMs !== entry.mtimeMs) {
    throw new LocalError(
      `${entry.path}: changed while it was being zipped.`,
      'Wait for the build to finish, then run the command again.',
    );
  }
  return { raw: bytes.subarray(start - from), window: bytes.subarray(0, start - from), last: isLast };
}
