// Writes a stream of buffers into a file: large writes while the next buffers arrive, durable when it returns.
import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from './store.ts';

/** Buffers from the network are at most 64 KiB: too little for a system call and a trip to the thread pool each. */
const BATCH_BYTES = 1024 * 1024;
/** Buffers in one batch, however small they are: what one writev takes (IOV_MAX of Linux). */
const BATCH_BUFFERS = 1024;
/** Writing back starts early, or the last byte of 5 GiB waits for all of it to reach the disk. */
const SYNC_BYTES = 64 * 1024 * 1024;

/**
 * Writes `source` from byte `start` of `file` and syncs it; resolves to the number of bytes written. At most two batches
 * (about 2 MiB) are held in memory; the buffers must not be changed after they were given. Errors of `source` pass through;
 * nothing touches the file any more once this has settled.
 */
export async function writeDurably(file: FileHandle, start: number, source: ByteSource): Promise<number> {
  let position = start;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unsynced = 0;
  let writing = Promise.resolve();
  let syncing = Promise.resolve();
  try {
    for await (const bytes of source) {
      if (bytes.byteLength === 0) continue;
      batch.push(bytes);
      batchBytes += bytes.byteLength;
      if (batchBytes < BATCH_BYTES && batch.length < BATCH_BUFFERS) continue;
      await writing;
      writing = inBackground(writeBatch(file, batch, batchBytes, position));
      position += batchBytes;
      unsynced += batchBytes;
      batch = [];
      batchBytes = 0;
      if (unsynced < SYNC_BYTES) continue;
      await syncing;
      syncing = inBackground(file.datasync());
      unsynced = 0;
    }
    await writing;
    await writeBatch(file, batch, batchBytes, position);
    // A sync that failed is told only once by the system, so the one in the background counts as well.
    await Promise.all([syncing, file.datasync()]);
    return position + batchBytes - start;
  } finally {
    await Promise.allSettled([writing, syncing]);
  }
}

/** Lets `work` go on unwatched until it is awaited, without its failure ending the process meanwhile. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}

async function writeBatch(file: FileHandle, batch: Uint8Array[], bytes: number, position: number): Promise<void> {
  if (bytes === 0) return;
  let { bytesWritten: done } = await file.writev(batch, position);
  if (done === bytes) return;
  // A disk that fills up takes a part first; only the next write says why it takes no more.
  const whole = Buffer.concat(batch);
  while (done < bytes) {
    const { bytesWritten } = await file.write(whole, done, bytes - done, position + done);
    if (bytesWritten === 0) throw new Error('The disk took no more bytes and gave no reason');
    done += bytesWritten;
  }
}
