// Stores blobs as files in one folder: `<key>` when complete, `<key>.part` while being written.
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { access, type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { MINUTE } from '../clock.ts';
import { makePrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../private-files.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { writeDurably } from './file-writer.ts';
import type { FileInSpace } from './spaces.ts';
import {
  assertKey,
  type BlobInfo,
  BlobMissingError,
  type BlobStore,
  type BlobUpload,
  type FileSettings,
  isKey,
  keepErrors,
  PART_SUFFIX,
  PackedTooLargeError,
} from './store.ts';

const READ_BYTES = 256 * 1024;
/** The number of folders known to be durable after which the list is cleared, so that they are synced again. */
const MAX_REMEMBERED = 10_000;

/**
 * Opens the store in `folder`; `check` creates the folder durably. Several processes may share it, but two of them must
 * not write the same key at once. Only the account of the process can read new files and folders. Errors of the file
 * system (ENOSPC, EACCES …) pass through.
 */
export function openFileStore({ folder }: FileSettings): BlobStore {
  const root = resolve(folder);
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(root, key);
  };

  /** Folders whose names are durable. This program never removes folders. */
  const durable = new Set([root]);

  /**
   * Makes the name at `path` durable. A new name is stored in its folder, and the name of a new folder in the folder
   * above, up to `root` (fsync(2) on Linux). What this process has made durable stays durable.
   */
  async function syncNames(path: string): Promise<void> {
    const folders = foldersToSync(path);
    await Promise.all(folders.map(syncFolder));
    remember(folders);
  }

  function foldersToSync(path: string): string[] {
    const folders = [dirname(path)];
    while (!durable.has(folders.at(-1)!)) folders.push(dirname(folders.at(-1)!));
    return folders;
  }

  function remember(folders: readonly string[]): void {
    if (durable.size > MAX_REMEMBERED) forget();
    for (const folder of folders) durable.add(folder);
  }

  function forget(): void {
    durable.clear();
    durable.add(root);
  }

  /** Most folders exist already. One that somebody removed is created again. */
  async function openNew(path: string): Promise<FileHandle> {
    if (durable.has(dirname(path))) {
      const file = await open(path + PART_SUFFIX, 'w', PRIVATE_FILE).catch(nullWhenMissing);
      if (file !== null) return file;
      forget();
    }
    await makePrivateFolder(dirname(path));
    return open(path + PART_SUFFIX, 'w', PRIVATE_FILE);
  }

  return {
    settings: { kind: 'files', folder },
    describe: () => ({ kind: 'files', location: root }),

    async put(key, source) {
      const path = pathOf(key);
      await using file = await openNew(path);
      const size = await writeDurably(file, 0, source);
      await rename(path + PART_SUFFIX, path);
      await syncNames(path);
      return size;
    },

    async putPacked(key, file, maxStored) {
      assertKey(key);
      return packIntoFile({ folder: root, key, ...file, maxStored });
    },

    async putWhole(key, bytes) {
      const path = pathOf(key);
      const folder = dirname(path);
      if (durable.has(folder) && !existsSync(folder)) forget();
      if (!durable.has(folder)) mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
      writeNow(path + PART_SUFFIX, bytes);
      renameSync(path + PART_SUFFIX, path);
      const folders = foldersToSync(path);
      for (const folder of folders) syncNow(folder);
      remember(folders);
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
      // The bytes are not durable as long as a power failure could remove the name of the file.
      if (upload.size === 0) await syncNames(path);
      return { key: upload.key, size: upload.size + written };
    },

    async complete(upload) {
      const path = pathOf(upload.key);
      if (!(await isComplete(path, upload))) {
        await cutPart(path, upload);
        await rename(path + PART_SUFFIX, path);
      }
      // Even if it was complete: the process may have ended after the rename.
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

    async readWhole(key, spaceFor) {
      return readWhole(root, key, spaceFor);
    },

    async localPath(key) {
      const path = pathOf(key);
      if ((await sizeOf(path)) === null) throw new BlobMissingError(`There is no blob ${key}`);
      return path;
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
      // The last segment of a prefix may be partial, so the walk starts in the folder above it.
      return walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
    },

    async check() {
      const made = await makePrivateFolder(root);
      if (made !== undefined) await syncFolders(root, dirname(made));
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    },

    async close() {},
  };
}

/** Opens the part for writing at any position, and creates it if necessary. */
async function makePart(path: string): Promise<FileHandle> {
  await makePrivateFolder(dirname(path));
  return open(path + PART_SUFFIX, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
}

/**
 * Opens the part of `upload`. Bytes beyond `upload.size` are left over from a failed append, and are overwritten or cut
 * off. Throws BlobMissingError if there are fewer.
 */
async function openPart(path: string, upload: BlobUpload): Promise<FileHandle> {
  // A power failure may have removed an empty part, which did not have to be durable.
  if (upload.size === 0) return makePart(path);
  const file = await openExisting(path + PART_SUFFIX, 'r+', upload.key);
  const { size } = await file.stat();
  if (size >= upload.size) return file;
  await file.close();
  throw new BlobMissingError(`The part of blob ${upload.key} has ${size} bytes where ${upload.size} were written`);
}

/** Writes a file and syncs it. */
function writeNow(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w', PRIVATE_FILE);
  try {
    writeFileSync(file, bytes);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Reads a whole blob of the store in `folder` to the start of the buffer that `spaceFor` returns for its size, and
 * returns that size. Blocks, so it is for worker threads. Throws BlobMissingError if there is no such blob.
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

/** Truncates the part to exactly `upload.size` bytes. */
async function cutPart(path: string, upload: BlobUpload): Promise<void> {
  await using file = await openPart(path, upload);
  const { size } = await file.stat();
  if (size === upload.size) return;
  await file.truncate(upload.size);
  await file.sync();
}

/** Whether an earlier `complete` renamed the part. */
async function isComplete(path: string, upload: BlobUpload): Promise<boolean> {
  return (await sizeOf(path + PART_SUFFIX)) === null && (await sizeOf(path)) === upload.size;
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(nullWhenMissing))?.size ?? null;
}

/** The folders from `root` down to the first one that was created; each of them has a new name in it. */
async function syncFolders(path: string, root: string): Promise<void> {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) folders.push(folder);
  await Promise.all(folders.map(syncFolder));
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/**
 * Walks the folder `below` of `root` (empty, or with a trailing slash) and yields each key that begins with `prefix`
 * once.
 */
async function* walk(root: string, below: string, prefix: string): AsyncGenerator<BlobInfo> {
  const entries = (await opendir(join(root, below)).catch(nullWhenMissing)) ?? [];
  for await (const entry of entries) {
    const name = below + entry.name;
    const key = name.endsWith(PART_SUFFIX) ? name.slice(0, -PART_SUFFIX.length) : name;
    // Not everything is ours: the `lost+found` of a disk cannot even be opened.
    if (!isKey(key) || !key.startsWith(prefix)) continue;
    if (entry.isDirectory()) {
      yield* walk(root, `${name}/`, prefix);
      continue;
    }
    // A blob that is being written again has both names; the complete one counts.
    if (key !== name && (await sizeOf(join(root, key))) !== null) continue;
    const status = await stat(join(root, name)).catch(nullWhenMissing);
    if (status !== null) yield { key, modifiedAt: status.mtime };
  }
}

function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export type PackTask = FileInSpace & { readonly folder: string; readonly key: string; readonly maxStored: number };

const threads = createThreadPool<PackTask, number, never, never>(new URL('./pack.thread.ts', import.meta.url), {
  // Mostly, they wait for the disk.
  size: 4,
  timeoutMs: 5 * MINUTE,
  // The files and their compressed bytes are not in the heap.
  maxHeapMb: 64,
});

/** Writes the file durably. Returns its compressed size. Throws PackedTooLargeError and errors of the file system. */
async function packIntoFile(task: PackTask): Promise<number> {
  const stored = await threads.run(task, () => Promise.reject(new Error('a thread asked')));
  if (stored > task.maxStored) throw new PackedTooLargeError(task.maxStored);
  return stored;
}
