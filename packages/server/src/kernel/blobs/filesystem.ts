// Keeps blobs as files below one folder: `<key>` when complete, `<key>.part` while it is written.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { access, type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeDurably } from './file-writer.ts';
import { assertKey, isKey, PART_SUFFIX } from './key.ts';
import { type BlobInfo, BlobMissingError, type BlobStore, type BlobUpload, keepErrors } from './store.ts';

const READ_BYTES = 256 * 1024;
/** Folders that are known to be durable, before they are forgotten and synced once more. */
const MOST_REMEMBERED = 10_000;

/**
 * Opens the store in `folder`; `check` makes the folder durably. Several processes may share it, but two of them must not
 * write one key at once. Errors of the file system (ENOSPC, EACCES …) pass through as they are.
 */
export function openFileStore(folder: string): BlobStore {
  const root = resolve(folder);
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(root, key);
  };

  /** Folders whose names are durable. Nothing ever removes one. */
  const durable = new Set([root]);

  /**
   * Makes the name at `path` durable: a new name lives in its folder, and a new folder's name in the one above, up to `root`
   * (fsync(2) of Linux). What this process has once made durable stays so.
   */
  async function syncNames(path: string): Promise<void> {
    const folders = [dirname(path)];
    while (!durable.has(folders.at(-1)!)) folders.push(dirname(folders.at(-1)!));
    await Promise.all(folders.map(syncFolder));
    if (durable.size > MOST_REMEMBERED) durable.clear();
    for (const folder of [...folders, root]) durable.add(folder);
  }

  return {
    async put(key, source) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true });
      await using file = await open(path + PART_SUFFIX, 'w');
      const size = await writeDurably(file, 0, source);
      await rename(path + PART_SUFFIX, path);
      await syncNames(path);
      return size;
    },

    async begin(key) {
      const file = await makePart(pathOf(key));
      await file.close();
      return { key, size: 0 };
    },

    async append(upload, source) {
      const path = pathOf(upload.key);
      await using file = await openPart(path, upload);
      const written = await writeDurably(file, upload.size, source);
      // The bytes are not durable while a power failure could still take the file's name.
      if (upload.size === 0) await syncNames(path);
      return { key: upload.key, size: upload.size + written };
    },

    async complete(upload) {
      const path = pathOf(upload.key);
      if (!(await isComplete(path, upload))) {
        await cutPart(path, upload);
        await rename(path + PART_SUFFIX, path);
      }
      // Also when it was complete: the process may have ended between the rename and this.
      await syncNames(path);
    },

    async stat(key) {
      const size = await sizeOf(pathOf(key));
      return size === null ? null : { size };
    },

    async read(key, range) {
      const file = await openExisting(pathOf(key), 'r', key);
      return keepErrors(file.createReadStream({ highWaterMark: READ_BYTES, ...range }));
    },

    async sign() {
      return null;
    },

    async delete(key) {
      const path = pathOf(key);
      await rm(path + PART_SUFFIX, { force: true });
      await rm(path, { force: true });
    },

    list(prefix) {
      // The last segment of a prefix may be cut short, so the walk starts at the folder before it.
      return walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
    },

    async check() {
      const made = await mkdir(root, { recursive: true });
      if (made !== undefined) await syncFolders(root, dirname(made));
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    },

    async close() {},
  };
}

/** Opens the part for writing anywhere in it; made when it is not there. */
async function makePart(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  return open(path + PART_SUFFIX, constants.O_RDWR | constants.O_CREAT);
}

/** Opens the part of `upload`. Bytes behind `upload.size` are leftovers of a failed append, to be written over or cut off. */
async function openPart(path: string, upload: BlobUpload): Promise<FileHandle> {
  // An empty part may have been lost to a power failure: nothing of it had to be durable.
  if (upload.size === 0) return makePart(path);
  const file = await openExisting(path + PART_SUFFIX, 'r+', upload.key);
  const { size } = await file.stat();
  if (size >= upload.size) return file;
  await file.close();
  throw new Error(`The part of blob ${upload.key} has ${size} bytes where ${upload.size} were written`);
}

/**
 * Reads a whole blob of the store in `folder` to the beginning of what `spaceFor` gives for its size, and answers that, in bytes: for a thread that
 * has nothing else to do meanwhile. Throws BlobMissingError when there is none.
 */
export function readWhole(folder: string, key: string, spaceFor: (bytes: number) => Buffer): number {
  assertKey(key);
  let file: number;
  try {
    file = openSync(join(folder, key), 'r');
  } catch (error) {
    throw isMissing(error) ? missing(key, error) : error;
  }
  try {
    const { size } = fstatSync(file);
    const bytes = spaceFor(size);
    for (let done = 0; done < size; ) {
      const read = readSync(file, bytes, done, size - done, done);
      if (read === 0) throw new Error(`Blob ${key} has ended at ${done} of ${size} bytes`);
      done += read;
    }
    return size;
  } finally {
    closeSync(file);
  }
}

async function openExisting(path: string, flags: string, key: string): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    throw isMissing(error) ? missing(key, error) : error;
  }
}

function missing(key: string, cause: unknown): BlobMissingError {
  return new BlobMissingError(`There is no blob ${key}`, { cause });
}

/** Cuts the part to exactly `upload.size` bytes. */
async function cutPart(path: string, upload: BlobUpload): Promise<void> {
  await using file = await openPart(path, upload);
  const { size } = await file.stat();
  if (size === upload.size) return;
  await file.truncate(upload.size);
  await file.sync();
}

/** Whether an earlier `complete` got as far as the rename. */
async function isComplete(path: string, upload: BlobUpload): Promise<boolean> {
  return (await sizeOf(path + PART_SUFFIX)) === null && (await sizeOf(path)) === upload.size;
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(nullWhenMissing))?.size ?? null;
}

/** The folders of `root` down to where the first was made, each of which holds a new name. */
async function syncFolders(path: string, root: string): Promise<void> {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) folders.push(folder);
  await Promise.all(folders.map(syncFolder));
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Walks the folder `below` of `root` (empty, or with a slash at the end) and gives every key that begins with `prefix` once. */
async function* walk(root: string, below: string, prefix: string): AsyncGenerator<BlobInfo> {
  const entries = (await opendir(join(root, below)).catch(nullWhenMissing)) ?? [];
  for await (const entry of entries) {
    const name = below + entry.name;
    const key = name.endsWith(PART_SUFFIX) ? name.slice(0, -PART_SUFFIX.length) : name;
    // Not everything is ours: a disk's `lost+found` cannot even be opened.
    if (!isKey(key) || !key.startsWith(prefix)) continue;
    if (entry.isDirectory()) {
      yield* walk(root, `${name}/`, prefix);
      continue;
    }
    // A blob that is written once more has both names: the complete one stands for it.
    if (key !== name && (await sizeOf(join(root, key))) !== null) continue;
    const found = await stat(join(root, name)).catch(nullWhenMissing);
    if (found !== null) yield { key, modifiedAt: found.mtime };
  }
}

function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
