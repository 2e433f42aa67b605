// One process at a time changes an install.
import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { UpdaterError } from './error.ts';

type Holder = {
  pid: number;
  /** When the process began, to tell it from a later one with the same number; null where the system doesn't say. */
  begun: string | null;
};

const ATTEMPTS = 3;
const PAUSE_MS = 50;

/**
 * Runs `work` while this process has the lock in the file at `path`. A lock of a process that no longer runs is
 * replaced. Rejects with UpdaterError if another process has it.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await takeLock(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<void> {
  const own = JSON.stringify({ pid: process.pid, begun: beginningOf(process.pid) } satisfies Holder);
  for (let attempt = 1; ; attempt++) {
    if (await createFile(path, own)) return;
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null && isHeld(text)) throw locked();
    if (attempt === ATTEMPTS) throw locked();
    await removeStale(path, text);
  }
}

/** Removes the lock that was read before, unless another process has replaced it since. */
async function removeStale(path: string, text: string | null): Promise<void> {
  const moved = `${path}.${process.pid}`;
  try {
    await rename(path, moved);
    if ((await readFile(moved, 'utf8')) !== text) await link(moved, path);
    await rm(moved, { force: true });
  } catch {
    // Another process was faster, or still holds the file.
    await wait(PAUSE_MS);
  }
}

function locked(): UpdaterError {
  return new UpdaterError(
    'locked',
    'Another process is installing or updating this game.',
    'Wait until it has finished, then try again.',
  );
}

/** Whether the file didn't exist. It has its content from the beginning, so that no process takes it for a damaged one. */
async function createFile(path: string, content: string): Promise<boolean> {
  const whole = `${path}.${process.pid}.${++files}`;
  await writeFile(whole, content);
  try {
    await link(whole, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Not all file systems have hard links.
    return createInPlace(path, content);
  } finally {
    await rm(whole, { force: true });
  }
}

/** Counts the files of this process, which may try twice at once. */
let files = 0;

async function createInPlace(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(text: string): boolean {
  const holder = parseHolder(text);
  if (holder === null || !isRunning(holder.pid)) return false;
  return holder.begun === null || holder.begun === beginningOf(holder.pid);
}

/** Null if the process was killed before it had written its number, or something else wrote the file. */
function parseHolder(text: string): Holder | null {
  try {
    const holder: unknown = JSON.parse(text);
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || !Number.isSafeInteger(holder.pid))
      return null;
    return holder as Holder;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, in ticks since the start of the machine (proc(5), field 22 of stat); null elsewhere. */
function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it is in parentheses, and may have spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
