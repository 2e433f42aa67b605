// Reads files piece by piece, for their hashes.
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { BLOCK_HASH_BYTES, type BlockTable, blockHash } from '@chauffeur/deltas/manifest';
import { free } from '@chauffeur/deltas/memory';

export const CHUNK_BYTES = 512 * 1024;

/** Reads exactly `length` bytes at `position`, into `buffer`; false if the file is shorter. */
export async function readExactly(
  handle: FileHandle,
  buffer: Buffer,
  length: number,
  position: number,
): Promise<boolean> {
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** The SHA-256 of a file; null if it can't be opened. Rejects with the reason of `signal`. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch {
    return null;
  }
  try {
    const hash = createHash('sha256');
    await addToHash(hash, handle, signal);
    return hash.digest();
  } finally {
    await handle.close();
  }
}

async function addToHash(hash: Hash, handle: FileHandle, signal: AbortSignal | undefined): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  try {
    for (let position = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      hash.update(buffer.subarray(0, bytesRead));
      position += bytesRead;
    }
  } finally {
    free(buffer);
  }
}

/** Whether `bytes` are the block of the table. */
export function isBlock(table: BlockTable, block: number, bytes: Buffer): boolean {
  if (bytes.length !== table.lengths[block]) return false;
  return createHash('sha256').update(bytes).digest().subarray(0, BLOCK_HASH_BYTES).equals(blockHash(table, block));
}
