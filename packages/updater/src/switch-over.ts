// Replaces the old version of a game by the new one, which is complete in the staging folder. From the moment the journal
// is written, the switch is finished whatever happens: after a kill or a power cut, the next run continues it.
import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UPDATER_FOLDER } from '@chauffeur/contract/file-names';
import { makeFolder, removeFile, replaceFile, syncFolder } from './durable.ts';
import { UpdaterError } from './error.ts';
import { placeOf, statOf } from './inside.ts';

/** One change of the folder. Paths are those of a manifest. Each can be repeated. */
export type Step =
  /** Moves a file from the staging folder to its place, over what is there. */
  | { readonly kind: 'put'; readonly path: string; readonly staged: string; readonly executable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string }
  /** Sets whether a file that stays as it is can be run. */
  | { readonly kind: 'mode'; readonly path: string; readonly executable: boolean }
  /** Deletes a file, a link or an empty folder, and the folders that are empty after that. */
  | { readonly kind: 'remove'; readonly path: string }
  /** Moves a file of the player to a path in the state folder, before another is put in its place. */
  | { readonly kind: 'save'; readonly path: string; readonly to: string };

/** Steps that come before all others. */
type Removal = Extract<Step, { kind: 'remove' | 'save' }>;

/**
 * What is done to the folder: everything is removed before anything is put in place, because a new name may differ from
 * an old one only in its case, and a folder may replace a file. For the same reason, nothing is removed again after that.
 */
export type Journal = {
  readonly format: 1;
  /** Whether everything is removed. */
  readonly removed: boolean;
  readonly steps: readonly Step[];
  /** Files of the state folder that replace others at the end: from and to. */
  readonly state: readonly { readonly from: string; readonly to: string }[];
};

/** Where the parts of an install are. All are on one file system. */
export type InstallFolders = {
  /** The folder of the game. */
  readonly game: string;
  /** The folder of the updater in it. */
  readonly state: string;
  /** New files, until they are put in place. */
  readonly staged: string;
  /** Old files that are still in use, which Windows doesn't delete. */
  readonly old: string;
};

export const STATE_FOLDER = UPDATER_FOLDER;

export function foldersOf(game: string): InstallFolders {
  const state = join(game, STATE_FOLDER);
  return { game, state, staged: join(state, 'staged'), old: join(state, 'old') };
}

function journalPath({ state }: InstallFolders): string {
  return join(state, 'journal.json');
}

/**
 * Writes the journal, and does what it says. All staged files have to be complete, checked and durable. Rejects with
 * UpdaterError if something is in the way; the switch can be finished later, by `finishSwitch`.
 */
export async function switchOver(folders: InstallFolders, changes: Omit<Journal, 'format' | 'removed'>): Promise<void> {
  const journal: Journal = { format: 1, removed: false, ...changes };
  await syncFolder(folders.staged);
  await replaceFile(journalPath(folders), JSON.stringify(journal));
  await applyJournal(folders, journal);
}

/** Whether a switch has begun that is not finished. */
export async function isSwitching(folders: InstallFolders): Promise<boolean> {
  return (await statOf(journalPath(folders))) !== null;
}

/** Finishes a switch that was interrupted. Returns whether there was one. */
export async function finishSwitch(folders: InstallFolders): Promise<boolean> {
  const text = await readFile(journalPath(folders), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return false;
  await applyJournal(folders, JSON.parse(text) as Journal);
  return true;
}

async function applyJournal(folders: InstallFolders, journal: Journal): Promise<void> {
  const { steps, state } = journal;
  if (!journal.removed) {
    const touched = new Set<string>([folders.game]);
    for (const step of steps) {
      if (step.kind === 'save') await saveEntry(folders, step, touched);
      if (step.kind === 'remove') await removeEntry(folders, step.path, touched);
    }
    await syncFolders(touched);
    await replaceFile(journalPath(folders), JSON.stringify({ ...journal, removed: true }));
  }
  const touched = new Set<string>([folders.game]);
  for (const step of steps) if (step.kind !== 'remove' && step.kind !== 'save') await applyStep(folders, step, touched);
  await syncFolders(touched);
  for (const { from, to } of state) {
    const source = join(folders.state, from);
    if ((await statOf(source)) !== null) await rename(source, join(folders.state, to));
  }
  await syncFolder(folders.state);
  await removeFile(journalPath(folders));
  await rm(folders.staged, { recursive: true, force: true });
  await clearOld(folders);
}

/** Folders that were removed in the meantime are left out. */
async function syncFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) if ((await statOf(folder))?.isDirectory()) await syncFolder(folder);
}

async function applyStep(folders: InstallFolders, step: Exclude<Step, Removal>, touched: Set<string>): Promise<void> {
  const place = await placeOf(folders.game, step.path);
  touched.add(dirname(place));
  switch (step.kind) {
    case 'folder':
      return makeFolder(place);
    case 'mode':
      return setExecutable(place, step.executable);
    case 'link':
      await makeFolder(dirname(place));
      await clearPlace(folders, place);
      return symlink(step.target, place);
    case 'put': {
      const staged = join(folders.staged, step.staged);
      // Put in place before an interruption.
      if ((await statOf(staged)) === null) return;
      await makeFolder(dirname(place));
      await setExecutable(staged, step.executable);
      const current = await statOf(place);
      if (current?.isDirectory() || current?.isSymbolicLink()) await clearPlace(folders, place);
      return moveOver(folders, staged, place);
    }
  }
}

/** Windows knows no such permission, and on other file systems without it, a game starts all the same. */
async function setExecutable(path: string, executable: boolean): Promise<void> {
  if (process.platform === 'win32') return;
  const stats = await statOf(path);
  if (stats === null || !stats.isFile()) return;
  const mode = executable ? stats.mode | 0o111 : stats.mode & ~0o111;
  if ((mode & 0o777) !== (stats.mode & 0o777)) await chmod(path, mode & 0o777).catch(ignoreUnsupported);
}

function ignoreUnsupported(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM' && error.code !== 'ENOTSUP' && error.code !== 'ENOSYS') throw error;
}

/** What is behind a link or isn't a file any more isn't of the game. */
async function removeEntry(folders: InstallFolders, path: string, touched: Set<string>): Promise<void> {
  const place = await placeOf(folders.game, path).catch((error: unknown) => {
    if (error instanceof UpdaterError) return null;
    throw error;
  });
  if (place === null) return;
  const stats = await statOf(place);
  touched.add(dirname(place));
  if (stats?.isDirectory()) return removeEmptyFolders(folders.game, place);
  if (stats !== null) await removeInUse(folders, place);
  await removeEmptyFolders(folders.game, dirname(place));
}

/** Not again, if it was moved before an interruption. */
async function saveEntry(
  folders: InstallFolders,
  { path, to }: Extract<Step, { kind: 'save' }>,
  touched: Set<string>,
): Promise<void> {
  const [place, target] = [await placeOf(folders.game, path), join(folders.state, to)];
  if ((await statOf(target)) !== null || (await statOf(place)) === null) return;
  await makeFolder(dirname(target));
  await rename(place, target);
  touched.add(dirname(place)).add(dirname(target));
}

/** Removes folders from the inside out, as long as they are empty and inside of the game's. */
async function removeEmptyFolders(game: string, folder: string): Promise<void> {
  for (let current = folder; current !== game && current.startsWith(game); current = dirname(current)) {
    try {
      await rmdir(current);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') continue;
      return;
    }
  }
}

/** Makes room for a file or a link: removes an empty folder, a file or a link. */
async function clearPlace(folders: InstallFolders, place: string): Promise<void> {
  const stats = await statOf(place);
  if (stats === null) return;
  if (!stats.isDirectory()) return removeInUse(folders, place);
  try {
    await rmdir(place);
  } catch (cause) {
    throw new UpdaterError(
      'folder',
      `The folder ${place} is where the new version has a file, and isn't empty.`,
      'Move it elsewhere, then try again.',
      { cause },
    );
  }
}

/** What Windows answers for a file that a program has open. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY', 'ENOTEMPTY']);
const PAUSES_MS = [50, 200, 500, 1000, 2000];

/**
 * Moves a file over another. Virus scanners hold new files for a moment, so it tries again for a while. A program that runs
 * can't be replaced on Windows, but it can be renamed.
 */
async function moveOver(folders: InstallFolders, from: string, to: string): Promise<void> {
  for (const pause of [...PAUSES_MS, null]) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!IN_USE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      if (pause === null) throw inUse(to, error);
      if ((await statOf(to)) !== null) await setAside(folders, to).catch(() => {});
      await wait(pause);
    }
  }
}

async function removeInUse(folders: InstallFolders, path: string): Promise<void> {
  for (const pause of [...PAUSES_MS, null]) {
    try {
      return await rm(path, { force: true });
    } catch (error) {
      if (!IN_USE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      if (pause === null) throw inUse(path, error);
      const isAside = await setAside(folders, path).then(
        () => true,
        () => false,
      );
      if (isAside) return;
      await wait(pause);
    }
  }
}

/** Moves a file that is in use out of the way. It is deleted by a later run. */
async function setAside({ old }: InstallFolders, path: string): Promise<void> {
  await mkdir(old, { recursive: true });
  await rename(path, join(old, `${process.pid}-${process.hrtime.bigint()}`));
}

function inUse(path: string, cause: unknown): UpdaterError {
  return new UpdaterError('folder', `${path} is in use.`, 'Close the game, then try again.', { cause });
}

/** Deletes what was set aside, unless it is still in use. */
export async function clearOld({ old }: InstallFolders): Promise<void> {
  const names = await readdir(old).catch(() => []);
  for (const name of names) await rm(join(old, name), { force: true }).catch(() => {});
  await rmdir(old).catch(() => {});
}
