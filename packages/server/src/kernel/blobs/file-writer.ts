// Writes a stream of buffers to a file durably, with small writes running while the next buffers arrive.
import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from './store.ts';

/**
 * The bytes of one write. Smaller writes wake a thread more often, which takes longer than copying a page. For larger
 * ones, Linux uses larger pieces of memory, which a virtual machine may first have to get from its host
 * (bench/README.md).
 */
const BATCH_BYTES = 256 * 1024;
/** The largest number of buffers in one writev (IOV_MAX on Linux). */
const BATCH_BUFFERS = 1024;
/** Writes in progress at once, so that one slow write does not hold up the sender. */
const MAX_WRITES = 4;
/**
 * Syncing starts early. Otherwise the last byte of 5 GiB, and of each chunk of 16 MiB, waits until everything has
 * reached the disk.
 */
const SYNC_BYTES = 4 * 1024 * 1024;

/**
 * Writes `source` from byte `start` of `file` and syncs it. Resolves to the number of bytes written. Holds at most five
 * batches in memory (1.25 MiB, or more if the buffers are larger). Buffers must not be changed once they are passed on,
 * and are released after they are written. Errors of `source` pass through. The file is not touched any more once this
 * has settled.
 */
export async function writeDurably(file: FileHandle, start: number, source: ByteSource): Promise<number> {
  let position = start;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unsynced = 0;
  const writes: Promise<void>[] = [];
  let syncing = Promise.resolve();

  async function flush(): Promise<void> {
    if (writes.length === MAX_WRITES) await writes.shift();
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
    // The system reports a failed sync only once, so a failure of the background sync counts as well.
    await Promise.all([syncing, file.datasync()]);
    return position - start;
  } finally {
    await Promise.allSettled([...writes, syncing]);
  }
}

/** Prevents a failure from counting as unhandled before `work` is awaited. */
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

/** A disk that fills up accepts part of a write; only the next write fails with a reason. */
async function writeRest(file: FileHandle, whole: Buffer, written: number, position: number): Promise<void> {
  for (let done = written; done < whole.length; ) {
    const { bytesWritten } = await file.write(whole, done, whole.length - done, position + done);
    if (bytesWritten === 0) throw new Error('The disk accepted no more bytes and gave no reason');
    done += bytesWritten;
  }
}
