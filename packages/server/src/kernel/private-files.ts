// The modes of everything that the server writes to disk: only its own account can read it, whatever the umask is.
import { chmod, lstat, mkdir, mkdtemp, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from './secrets/ids.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** The folder for files that are being received or worked on. */
const SPOOL = 'spool';
const WORK_PREFIX = 'work-';
const ABANDONED_MS = 86_400_000;

/** Permissions of accounts that are neither the owner nor in the group. */
const OTHERS = 0o007;
/** What earlier versions created with the mode that the umask left. */
const FORMERLY_OPEN = ['blobs', 'outbox', 'spool', 'symbol-cache'];

/** Creates the folder and those above it. Returns the first one that was created. */
export function makePrivateFolder(path: string): Promise<string | undefined> {
  return mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Creates the data folder, or makes the folders in it private. Returns the first folder that was created. An existing
 * data folder keeps its mode, because it may contain other things, and so do folders that are open to a group only,
 * which an operator chose.
 */
export async function makeDataFolder(path: string): Promise<string | undefined> {
  const made = await makePrivateFolder(path);
  await removeAbandoned(join(path, SPOOL));
  if (made === undefined) for (const name of FORMERLY_OPEN) await close(join(path, name));
  return made;
}

/** Creates the spool if necessary, and returns its path. Now and then, removes what killed processes have left in it. */
export async function openSpool(dataFolder: string): Promise<string> {
  const spool = join(dataFolder, SPOOL);
  await makePrivateFolder(spool);
  if (Date.now() - (cleanedAt.get(spool) ?? 0) > ABANDONED_MS / 24) await removeAbandoned(spool);
  return spool;
}

/** Runs `work` with a new folder, and removes it afterwards. If the process is killed, it is removed a day later. */
export async function withWorkFolder<T>(dataFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(await openSpool(dataFolder), WORK_PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** When each spool was last cleaned, in milliseconds since 1970. */
const cleanedAt = new Map<string, number>();

/** Removes what is older than a day: another process may share the data folder, and work on what is newer. */
async function removeAbandoned(spool: string): Promise<void> {
  cleanedAt.set(spool, Date.now());
  for await (const { name } of (await opendir(spool).catch(() => null)) ?? []) {
    const path = join(spool, name);
    const status = name.startsWith(WORK_PREFIX) || isUuid(name) ? await lstat(path).catch(() => null) : null;
    if (status !== null && Date.now() - status.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Skips a link, which leads to a place that the operator chose, and a folder of another account. */
async function close(folder: string): Promise<void> {
  const status = await lstat(folder).catch(() => null);
  if (status?.isDirectory() !== true || status.uid !== process.getuid?.()) return;
  if ((status.mode & OTHERS) !== 0) await chmod(folder, PRIVATE_FOLDER);
}
