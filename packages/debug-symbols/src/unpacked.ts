// Keeps what was unpacked: a little in memory, and more in a temporary file.
import { type ByteSource, MemorySource } from './byte-source.ts';
import { DebugSymbolsError } from './error.ts';
import type { Scratch, TemporaryFile } from './temporary-file.ts';

/** The most that is kept in memory. */
export const MAX_IN_MEMORY = 32 * 1024 * 1024;

/**
 * Collects pieces of at most `maximum` bytes together. Without `scratch`, they have to fit in memory. Throws `too-large`
 * as soon as there are more.
 */
export function keepUnpacked(pieces: Iterable<Uint8Array>, maximum: number, scratch: Scratch | undefined): ByteSource {
  const limit = scratch === undefined ? Math.min(maximum, MAX_IN_MEMORY) : maximum;
  const kept: Uint8Array[] = [];
  let size = 0;
  let file: TemporaryFile | undefined;
  try {
    for (const piece of pieces) {
      size += piece.length;
      if (size > limit) throw new DebugSymbolsError('too-large', `compressed data unpacks to more than ${limit} bytes`);
      if (file === undefined && size > MAX_IN_MEMORY) {
        file = scratch!.createInput();
        for (const earlier of kept.splice(0)) file.append(earlier);
      }
      if (file === undefined) kept.push(Uint8Array.from(piece));
      else file.append(piece);
    }
    return file ?? new MemorySource(Buffer.concat(kept));
  } catch (error) {
    if (file !== undefined) scratch!.close(file);
    throw error;
  }
}
