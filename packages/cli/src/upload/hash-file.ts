// Computes the size and SHA-256 of a file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { MIB } from '@chauffeur/contract/limits';

/** Reads the whole file once; `sha256` has 64 lowercase hex digits. */
export async function hashFile(path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of createReadStream(path, { highWaterMark: MIB })) {
    hash.update(piece as Buffer);
    size += (piece as Buffer).length;
  }
  return { size, sha256: hash.digest('hex') };
}
