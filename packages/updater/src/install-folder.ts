// Works in the folder of a game, while no other process does.
import { rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from './durable.ts';
import { UpdaterError } from './error.ts';
import { statOf } from './inside.ts';
import { withLock } from './lock.ts';
import type { Options } from './options.ts';
import { explainFileError } from './space.ts';
import { type Install, readInstall } from './state.ts';
import { clearOld, finishSwitch, foldersOf, type InstallFolders } from './switch-over.ts';

const LOCK = 'lock';

/** Runs `work` while no other process changes the folder, after an interrupted switch was finished. */
export async function inFolder<T>(
  options: Options,
  work: (folders: InstallFolders) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const folders = foldersOf(resolve(options.folder));
  const missing = await missingFolders(folders.game);
  if (!creates && (await statOf(folders.state)) === null) throw notInstalled(folders);
  try {
    await makeFolder(folders.state);
    return await withLock(join(folders.state, LOCK), async () => {
      await finishSwitch(folders);
      await clearOld(folders);
      return work(folders);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw explainFileError(error);
  } finally {
    // A folder in which nothing is installed is left as it was.
    await rmdir(folders.state).catch(() => {});
    await removeEmpty(missing);
  }
}

/** The folder and those above it that don't exist, the innermost first. */
async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let next = path; (await statOf(next)) === null && dirname(next) !== next; next = dirname(next))
    missing.push(next);
  return missing;
}

/** Removes folders, the innermost first, up to one that isn't empty. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders) await rmdir(folder);
  } catch {
    // It is in use.
  }
}

export async function requireInstall(folders: InstallFolders): Promise<Install> {
  const current = await readInstall(folders);
  if (current !== null) return current;
  throw notInstalled(folders);
}

function notInstalled({ game }: InstallFolders): UpdaterError {
  return new UpdaterError('folder', `No game is installed in ${game}.`, 'Name the folder of the game.');
}
