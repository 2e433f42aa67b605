// The lock file of a cluster, `postmaster.pid`: which server runs on the folder, and whether it is stopping.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';

export type Server = {
  readonly pid: number;
  /** It was told to stop: it takes no further sessions, and ends those that it has or waits for their end. */
  readonly stopping: boolean;
};

/** The server that runs on the folder, whoever started it. */
export async function findServer(cluster: Cluster): Promise<Server | undefined> {
  const named = await readLockFile(cluster);
  return named !== undefined && (await isPostgres(named.pid)) ? named : undefined;
}

/**
 * After a crash of the machine, the file may name a number that another program has now, and PostgreSQL would wait for that
 * program to end: then the file goes. One that names no process is left to PostgreSQL, which looks at more: backends of a server
 * that was killed may still be at work on the data.
 */
export async function removeStaleLock(cluster: Cluster): Promise<void> {
  const named = await readLockFile(cluster);
  if (named === undefined || !isProcess(named.pid) || (await isPostgres(named.pid))) return;
  await rm(pathOf(cluster), { force: true });
}

/** Sends a signal to a process; answers false when it has ended. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The first line is the number of the process. The eighth is its state, filled up with spaces: `starting`, `ready`, `stopping`
 * (`pidfile.h` of PostgreSQL).
 */
async function readLockFile(cluster: Cluster): Promise<Server | undefined> {
  const lines = (await readFile(pathOf(cluster), 'utf8').catch(() => '')).split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return Number.isInteger(pid) && pid > 1 ? { pid, stopping: lines[7]?.trim() === 'stopping' } : undefined;
}

function pathOf(cluster: Cluster): string {
  return join(cluster.folder, 'postmaster.pid');
}

/** The number alone proves nothing: the file outlives a server that was killed. Elsewhere than on Linux, it must do. */
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
