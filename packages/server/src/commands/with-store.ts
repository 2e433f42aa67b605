// Opens the store that an argument of a command names, and closes it when the command ends.
import { resolve } from 'node:path';
import { openBlobStore, parseStoreArgument } from '../kernel/blobs/open.ts';
import type { BlobSettings, BlobStore } from '../kernel/blobs/store.ts';
import { isStorageFull } from '../kernel/storage-full.ts';
import { BackupError } from '../operate/backups/manifest.ts';
import { UsageError } from './fail.ts';

type Options = {
  /** What is incomplete if the disk is full. */
  what: string;
};

export async function withStore<T>(
  address: string,
  { what }: Options,
  work: (store: BlobStore) => Promise<T>,
): Promise<T> {
  const store = openBlobStore(readAddress(address));
  try {
    await store.check();
    return await work(store);
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    throw new BackupError(`The disk is full, so ${what} is incomplete. Make room, and run the command again.`);
  } finally {
    await store.close();
  }
}

function readAddress(address: string): BlobSettings {
  try {
    const settings = parseStoreArgument(address, 'The address');
    return settings.kind === 'files' ? { ...settings, folder: resolve(settings.folder) } : settings;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
