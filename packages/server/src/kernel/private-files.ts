// The modes of everything that the server writes to disk: only its own account can read it, whatever the umask is.
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

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
  if (made === undefined) for (const name of FORMERLY_OPEN) await close(join(path, name));
  return made;
}

/** Skips a link, which leads to a place that the operator chose, and a folder of another account. */
async function close(folder: string): Promise<void> {
  const status = await lstat(folder).catch(() => null);
  if (status?.isDirectory() !== true || status.uid !== process.getuid?.()) return;
  if ((status.mode & OTHERS) !== 0) await chmod(folder, PRIVATE_FOLDER);
}
