// Writes that are still there after a power cut.
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step: afterwards, and after a power cut at any moment, it has the old or the new content.
 * Two writers of the same file must not run at once.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  await using handle = await open(temporary, 'w', 0o644);
  await handle.writeFile(content);
  await handle.sync();
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Removes a file, if there is one, so that it doesn't come back. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. Windows has no such call for folders, and doesn't need it on NTFS. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(path, 'r');
  await handle.sync();
}

/**
 * Creates a folder and those above it, unless they exist. Node's own `recursive` never ends where the system refuses new
 * folders with ENOENT, as in /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
  } catch (error) {
    const stats = await stat(path).catch(() => null);
    if (stats?.isDirectory() !== true) throw error;
  }
}

/** Makes the content of a file durable. */
export async function syncFile(path: string): Promise<void> {
  await using handle = await open(path, 'r+');
  await handle.sync();
}
