// Compiled symbols as local files: the file of the blob itself, or with S3 a copy in a folder of limited size.
import { createWriteStream } from 'node:fs';
import { opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../kernel/private-files.ts';
import { newId } from '../../kernel/secrets/ids.ts';

export type CacheFolder = {
  /**
   * Returns the path of the file with the compiled symbols under `key`, to be opened within ten minutes. An open file
   * stays readable. Rejects with BlobMissingError, and with errors of the store and the disk.
   */
  fileOf(key: string): Promise<string>;
};

type Options = {
  blobs: BlobStore;
  /** The folder of the copies, which several processes may share. */
  folder: string;
  /** The limit for all copies together. Recently returned copies are kept even if they exceed it. */
  maxBytes: number;
  now: () => Date;
};

/** The maximum time between returning and opening a file, and for making a copy. */
const IN_USE_MS = 10 * 60_000;
const UNFINISHED = '.part';

export function openCacheFolder(options: Options): CacheFolder {
  const pending = new Map<string, Promise<string>>();
  return {
    async fileOf(key) {
      const local = await options.blobs.localPath(key);
      if (local !== null) return local;
      const existing = pending.get(key);
      if (existing !== undefined) return existing;
      const copying = copyOf(key, options).finally(() => pending.delete(key));
      pending.set(key, copying);
      return copying;
    },
  };
}

async function copyOf(key: string, { blobs, folder, maxBytes, now }: Options): Promise<string> {
  const path = join(folder, key.replaceAll('/', '_'));
  // The modification time is the time of the last use. Setting it also checks whether the file exists.
  const exists = await utimes(path, now(), now()).then(() => true, nullIfMissing);
  if (exists) return path;
  await makePrivateFolder(folder);
  const temporary = `${path}.${newId()}${UNFINISHED}`;
  try {
    await pipeline(await blobs.read(key), createWriteStream(temporary, { flags: 'wx', mode: PRIVATE_FILE }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await utimes(path, now(), now());
  await shrink(folder, maxBytes, now().getTime() - IN_USE_MS);
  return path;
}

/**
 * Deletes copies that a dead process left unfinished, and the least recently used copies until the rest fits, but none
 * used since `before`.
 */
async function shrink(folder: string, maxBytes: number, before: number): Promise<void> {
  const files: { path: string; size: number; usedAt: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(nullIfMissing);
    if (stats !== null) files.push({ path, size: stats.size, usedAt: stats.mtimeMs });
  }
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size, usedAt } of files.sort((a, b) => a.usedAt - b.usedAt)) {
    if (usedAt >= before) return;
    if (total <= maxBytes && !path.endsWith(UNFINISHED)) continue;
    await rm(path, { force: true });
    total -= size;
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
