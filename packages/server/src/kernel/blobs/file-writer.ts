// Writes a stream of buffers into a file: small writes go on while the next buffers arrive; durable when it returns.
import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from './store.ts';

/**
 * What one write takes. Not less: each wakes a thread, which takes longer than to copy a page. Not more: Linux keeps a larger write in larger pieces
 * of memory, which a virtual machine may have to fetch from its host first (bench/README.md).
 */
const BATCH_BYTES = 256 * 1024;
/** Buffers in one batch, however small they are: what one writev takes (IOV_MAX of Linux). */
const BATCH_BUFFERS = 1024;
/** Writes under way at once, so that a slow one does not hold up the sender. */
const MOST_WRITES = 4;
/** Writing back starts early, or the last byte of 5 GiB, and of each chunk of 16 MiB, waits for all of it to reach the disk. */
const SYNC_BYTES = 4 * 1024 * 1024;

/**
 * Writes `source` from byte `start` of `file` and syncs it; resolves to the number of bytes written. At most five batches (1.25 MiB,
 * or as many buffers where they are larger) are held in memory; the buffers must not be changed after they were
 * given, and are released when they are written. Errors of `source` pass through; nothing touches the file any more once
 * this has settled.
 */
export async function writeDurably(file: FileHandle, start: number, source: ByteSource): Promise<number> {
  let position = start;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unsynced = 0;
  const writes: Promise<void>[] = [];
  let syncing = Promise.resolve();

  async function flush(): Promise<void> {
    if (writes.length === MOST_WRITES) await writes.shift();
    writes.push(inBackground(writeBatch(file, batch, batchBytes, position, source)));
    position += batchBytes;
    unsynced += batchBytes;
    batch = [];
    batchBytes = 0;
    if (unsynced < SYNC_BYTES) return;
    await syncing;
    syncing = inBackground(file.datasync());
    unsynced = 0;
  }

  try {
    for await (const bytes of source) {
      if (bytes.byteLength === 0) continue;
      if (batchBytes + bytes.byteLength > BATCH_BYTES || batch.length === BATCH_BUFFERS) await flush();
      batch.push(bytes);
      batchBytes += bytes.byteLength;
      if (batchBytes >= BATCH_BYTES) await flush();
    }
    await flush();
    await Promise.all(writes);
    // A sync that failed is told only once by the system, so the one in the background counts as well.
    await Promise.all([syncing, file.datasync()]);
    return position - start;
  } finally {
    await Promise.allSettled([...writes, syncing]);
  }
}

/** Lets `work` go on unwatched until it is awaited, without its failure ending the process meanwhile. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}

async function writeBatch(
  file: FileHandle,
  batch: Uint8Array[],
  bytes: number,
  position: number,
  source: ByteSource,
): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(batch, position);
  if (bytesWritten < bytes) await writeRest(file, Buffer.concat(batch), bytesWritten, position);
  for (const written of batch) source.release?.(written);
}

/** A disk that fills up takes a part first; only the next write says why it takes no more. */
async function writeRest(file: FileHandle, whole: Buffer, written: number, position: number): Promise<void> {
  for (let done = written; done < whole.length; ) {
    const { bytesWritten } = await file.write(whole, done, whole.length - done, position + done);
    if (bytesWritten === 0) throw new Error('The disk took no more bytes and gave no reason');
    done += bytesWritten;
  }
}
