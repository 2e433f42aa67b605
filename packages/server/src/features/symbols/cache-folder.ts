// Compiled symbols as files on this machine: a blob's own file, or with S3 a copy in a folder of bounded size.
import { createWriteStream } from 'node:fs';
import { mkdir, opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobSettings } from '../../kernel/blobs/open.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { newId } from '../../kernel/ids.ts';

export type CacheFolder = {
  /**
   * Path of the file that holds the compiled symbols under `key`. It may be opened within ten minutes; a file that is open stays
   * readable. Rejects with BlobMissingError, and with the errors of store and disk.
   */
  fileOf(key: string): Promise<string>;
};

type Options = {
  blobs: BlobStore;
  /** Where the copies lie. Several processes may share it. */
  folder: string;
  /** Of all copies together; those handed out just now may exceed it. */
  mostBytes: number;
  now: () => Date;
};

/** Between being handed out and being opened; a copy that is being made is this old at most, too. */
const IN_USE_MS = 10 * 60_000;
const UNFINISHED = '.part';

export function openCacheFolder(settings: BlobSettings, options: Options): CacheFolder {
  return settings.kind === 'files' ? blobFiles(settings.folder) : copies(options);
}

function blobFiles(folder: string): CacheFolder {
  return {
    async fileOf(key) {
      const path = join(folder, key);
      if ((await stat(path).catch(nullWhenMissing)) === null) throw new BlobMissingError(`There is no blob ${key}`);
      return path;
    },
  };
}

function copies(options: Options): CacheFolder {
  const underWay = new Map<string, Promise<string>>();
  return {
    fileOf(key) {
      const begun = underWay.get(key);
      if (begun !== undefined) return begun;
      const copying = copyOf(key, options).finally(() => underWay.delete(key));
      underWay.set(key, copying);
      return copying;
    },
  };
}

async function copyOf(key: string, { blobs, folder, mostBytes, now }: Options): Promise<string> {
  const path = join(folder, key.replaceAll('/', '_'));
  // Its time says when it was last wanted; to set it is also to see whether it is there.
  const isThere = await utimes(path, now(), now()).then(() => true, nullWhenMissing);
  if (isThere) return path;
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${newId()}${UNFINISHED}`;
  try {
    await pipeline(await blobs.read(key), createWriteStream(temporary, { flags: 'wx' }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await utimes(path, now(), now());
  await shrink(folder, mostBytes, now().getTime() - IN_USE_MS);
  return path;
}

/** Deletes the copies that were not wanted for longest, until the rest fits; none that was wanted since `before`. */
async function shrink(folder: string, mostBytes: number, before: number): Promise<void> {
  const files: { path: string; size: number; usedAt: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(nullWhenMissing);
    if (found !== null) files.push({ path, size: found.size, usedAt: found.mtimeMs });
  }
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size, usedAt } of files.sort((a, b) => a.usedAt - b.usedAt)) {
    if (usedAt >= before) return;
    if (total <= mostBytes && !path.endsWith(UNFINISHED)) continue;
    await rm(path, { force: true });
    total -= size;
  }
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
