// Finds places in the folder of an install. Nothing outside of it is ever touched, whatever a manifest says, and
// whatever links are in the folder.
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UpdaterError } from './error.ts';

/** What is at a path without following links; null if there is nothing. */
export async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * The absolute path of an entry, whose parents are folders or don't exist yet. `path` is a valid path of a manifest,
 * with `/` between its parts. Rejects with UpdaterError if a parent is a link, which could lead out of the folder, or a
 * file.
 */
export async function placeOf(folder: string, path: string): Promise<string> {
  const parts = path.split('/');
  let place = folder;
  for (const part of parts.slice(0, -1)) {
    place = join(place, part);
    const stats = await statOf(place);
    if (stats !== null && !stats.isDirectory())
      throw new UpdaterError(
        'folder',
        `${place} is ${stats.isSymbolicLink() ? 'a link' : 'a file'}, but the game has a folder there.`,
        'Move it elsewhere, then try again.',
      );
  }
  return join(place, parts.at(-1)!);
}

/** Whether a folder has nothing but entries with these names, or doesn't exist. */
export async function isEmptyFolder(path: string, apart: readonly string[]): Promise<boolean> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.every((name) => apart.includes(name));
}
