// Copies all blobs from one blob store to another, while the service uses the first.
import { createHash } from 'node:crypto';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { forEachOfPage } from './backup-files.ts';
import { BackupError } from './manifest.ts';

const PAGE = 500;

/** `present` counts the blobs that the other store already had. */
export type BlobCopyResult = { copied: number; present: number };

/**
 * Copies the complete blobs that `to` does not have in the same size, and reads each back. A blob never changes under
 * its key, so an interrupted copy continues where it ended. Blobs that are deleted in the meantime are left out.
 */
export async function copyBlobs(
  from: BlobStore,
  to: BlobStore,
  progress: (result: BlobCopyResult) => void,
): Promise<BlobCopyResult> {
  const result: BlobCopyResult = { copied: 0, present: 0 };
  async function copy(key: string): Promise<void> {
    const size = (await from.stat(key))?.size;
    if (size === undefined) return;
    if ((await to.stat(key))?.size === size) result.present += 1;
    else if (await copyBlob(from, to, key, size)) result.copied += 1;
  }
  let page: string[] = [];
  for await (const { key } of from.list('')) {
    page.push(key);
    if (page.length < PAGE) continue;
    await forEachOfPage(page, copy);
    progress(result);
    page = [];
  }
  await forEachOfPage(page, copy);
  return result;
}

/** Returns false if the blob was deleted in the meantime. */
async function copyBlob(from: BlobStore, to: BlobStore, key: string, size: number): Promise<boolean> {
  const sent = createHash('sha256');
  async function* hashed() {
    for await (const bytes of new BlobCursor(from, key, size).stream(size)) {
      sent.update(bytes);
      yield bytes;
    }
  }
  try {
    await to.put(key, hashed());
  } catch (error) {
    if (error instanceof BlobMissingError) return false;
    throw error;
  }
  const stored = createHash('sha256');
  for await (const bytes of new BlobCursor(to, key, size).stream(size)) stored.update(bytes);
  if (stored.digest('hex') === sent.digest('hex')) return true;
  await to.delete(key);
  throw new BackupError(
    `${key} was written to ${to.describe().location} but reads back differently. Run the command again.`,
  );
}
