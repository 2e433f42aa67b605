// Reads and writes text files as a whole, so that a build never reads a half-written one.
import { randomUUID } from 'node:crypto';
import { access, chmod, constants, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalError } from './failures.ts';

const BOM = '\ufeff';
/** Files that are mounted into a container, or open on Windows, can't be replaced, but overwritten. */
const ONLY_OVERWRITTEN = ['EBUSY', 'EPERM', 'EACCES'];

/** The text of `file`, or null if it does not exist. Rejects with LocalError if it is not UTF-8. */
export async function readIfPresent(file: string): Promise<string | null> {
  const text = await readExactly(file);
  return text?.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** The text of `file` with its byte order mark, or null if it does not exist. Rejects with LocalError. */
export async function readExactly(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw new LocalError(`${file} cannot be read.`, 'Check the path and its permissions.', { cause });
  });
  return bytes === null ? null : decode(file, bytes);
}

/** Windows PowerShell writes UTF-16, which starts with a byte order mark. */
function decode(file: string, bytes: Buffer): string {
  const isUtf16 = ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2)) || bytes.subarray(0, 4).includes(0);
  try {
    if (!isUtf16) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {}
  throw new LocalError(`${file} is not UTF-8${isUtf16 ? ', but UTF-16' : ''}.`, 'Save it with the encoding UTF-8.');
}

/** Replaces `file`. Rejects with LocalError. */
export async function writeText(file: string, text: string): Promise<void> {
  await replaceFile(file, text).catch((cause: unknown) => {
    throw new LocalError(`${file} cannot be written.`, 'Check that the folder exists and can be written to.', {
      cause,
    });
  });
}

/**
 * Writes `file` if it has another text, and creates its folder. Returns whether it was written: compilers build again
 * what depends on a file that is written. Rejects with LocalError.
 */
export async function writeIfChanged(file: string, text: string): Promise<boolean> {
  if ((await readExactly(file)) === text) return false;
  await mkdir(dirname(file), { recursive: true }).catch(() => {}); // writeText reports the failure.
  await writeText(file, text);
  return true;
}

/** Other programs see the old text or the new one. Keeps the file's mode, and a symbolic link to it. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const stats = await stat(target).catch(() => null);
  // Devices such as /dev/stdout can't be replaced. A folder is an error.
  if (stats !== null && !stats.isFile()) return writeFile(target, text);
  // A file that a version control system made read-only must not be replaced, although its folder allows it.
  if (stats !== null) await access(target, constants.W_OK);
  const temp = join(dirname(target), `.chauffeur-${randomUUID()}.tmp`);
  try {
    await writeFile(temp, text, { flag: 'wx' });
    if (stats !== null) await chmod(temp, stats.mode);
    await rename(temp, target);
  } catch (error) {
    await rm(temp, { force: true });
    const { code = '' } = error as NodeJS.ErrnoException;
    if (stats === null || !ONLY_OVERWRITTEN.includes(code)) throw error;
    await writeFile(target, text);
  }
}
