// The modes of everything that the server writes to disk: only its own account can read it, whatever the umask is.
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, opendir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
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

/**
 * Runs `work` with a new folder, and removes it afterwards. If the process is killed, the next one on the same system
 * removes it, and one elsewhere a day later.
 */
export async function withWorkFolder<T>(dataFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(await openSpool(dataFolder), `${WORK_PREFIX}${systemId()}-${process.pid}-`));
  workFolders.add(basename(folder));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    workFolders.delete(basename(folder));
  }
}

/** The names of the folders that this process works in. */
const workFolders = new Set<string>();

/** Identifies the system in which process ids are unique: the host, and on Linux the container. */
function systemId(): string {
  let container = '';
  try {
    container = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Other systems have none.
  }
  return createHash('sha256').update(`${hostname()} ${container}`).digest('hex').slice(0, 12);
}

/** Whether the process that made the folder is certainly dead. */
function isOrphan(name: string): boolean {
  const [system, pid] = name.slice(WORK_PREFIX.length).split('-');
  if (!name.startsWith(WORK_PREFIX) || system !== systemId() || !/^[1-9]\d*$/.test(pid ?? '')) return false;
  if (Number(pid) === process.pid) return !workFolders.has(name);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** When each spool was last cleaned, in milliseconds since 1970. */
const cleanedAt = new Map<string, number>();

/**
 * Removes what dead processes of this system have left, and what is older than a day: a process elsewhere may share the
 * data folder, and work on what is newer.
 */
async function removeAbandoned(spool: string): Promise<void> {
  cleanedAt.set(spool, Date.now());
  for await (const { name } of (await opendir(spool).catch(() => null)) ?? []) {
    const path = join(spool, name);
    const status = name.startsWith(WORK_PREFIX) || isUuid(name) ? await lstat(path).catch(() => null) : null;
    if (status === null) continue;
    if (isOrphan(name) || Date.now() - status.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Skips a link, which leads to a place that the operator chose, and a folder of another account. */
async function close(folder: string): Promise<void> {
  const status = await lstat(folder).catch(() => null);
  if (status?.isDirectory() !== true || status.uid !== process.getuid?.()) return;
  if ((status.mode & OTHERS) !== 0) await chmod(folder, PRIVATE_FOLDER);
}
