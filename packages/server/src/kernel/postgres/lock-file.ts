// Reads the lock file of a cluster, `postmaster.pid`: which server uses the folder, and whether it is stopping.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';

export type Server = {
  readonly pid: number;
  /** Whether it is stopping. It then accepts no new sessions, and ends the open ones or waits for them to end. */
  readonly stopping: boolean;
};

/** The server that uses the folder, regardless of who started it. */
export async function findServer(cluster: Cluster): Promise<Server | undefined> {
  const named = await readLockFile(cluster);
  return named !== undefined && (await isPostgres(named.pid)) ? named : undefined;
}

/**
 * Removes the lock file if its number now belongs to another program, as may happen after the machine crashed;
 * PostgreSQL would wait for that program to end. A file whose number belongs to no process is left to PostgreSQL, which
 * checks more: backends of a killed server may still be working on the data.
 */
export async function removeStaleLock(cluster: Cluster): Promise<void> {
  const named = await readLockFile(cluster);
  if (named === undefined || !isProcess(named.pid) || (await isPostgres(named.pid))) return;
  await rm(pathOf(cluster), { force: true });
}

/** Sends a signal to a process. Returns false if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The first line is the number of the process. The eighth is its state, padded with spaces: `starting`, `ready`,
 * `stopping` (`pidfile.h` of PostgreSQL).
 */
async function readLockFile(cluster: Cluster): Promise<Server | undefined> {
  const lines = (await readFile(pathOf(cluster), 'utf8').catch(() => '')).split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return Number.isInteger(pid) && pid > 1 ? { pid, stopping: lines[7]?.trim() === 'stopping' } : undefined;
}

function pathOf(cluster: Cluster): string {
  return join(cluster.folder, 'postmaster.pid');
}

/**
 * The number alone proves nothing, since the file survives a server that was killed. On systems other than Linux it has
 * to suffice.
 */
async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return isProcess(pid);
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('postgres');
}

function isProcess(pid: number): boolean {
  try {
    return signal(pid, 0);
  } catch (error) {
    // The process exists and belongs to another account.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return true;
    throw error;
  }
}
