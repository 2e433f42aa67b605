// The thread behind `packIntoFile`: compresses a file that is in memory and writes it to a folder. One message takes the
// place of a dozen calls of the thread pool, each of which would wake two threads.
import { serveTasks } from '../threads/thread-pool.ts';
import { openFileStore, type PackTask } from './filesystem.ts';
import { freeUnpacked, packNow } from './packed.ts';
import type { BlobStore } from './store.ts';

const stores = new Map<string, BlobStore>();

serveTasks<PackTask, number, never, never>(async ({ folder, key, space, size, maxStored }) => {
  const store = stores.getOrInsertComputed(folder, () => openFileStore({ folder }));
  const packed = packNow(new Uint8Array(space, 0, size));
  try {
    if (packed.length <= maxStored) await store.putWhole(key, packed);
    return packed.length;
  } finally {
    freeUnpacked(packed);
  }
});
