// Checks that the disk has room, and explains it when it hasn't.
import { statfs } from 'node:fs/promises';
import { formatBytes } from '@chauffeur/contract/format';
import { UpdaterError } from './error.ts';

/** Room for the state, and for what file systems need for themselves. */
const SPARE_BYTES = 8 * 1024 * 1024;

/** Rejects with UpdaterError if the disk of `folder` has less than `bytes` left. */
export async function checkSpace(folder: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const needed = bytes + SPARE_BYTES;
  if (free >= needed) return;
  throw new UpdaterError(
    'space',
    `The disk of ${folder} has ${formatBytes(free)} left, and ${formatBytes(needed)} are needed.`,
    'Make room, then try again. What is installed can still be played.',
  );
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Turns what the system says of a full disk or of missing permissions into an UpdaterError. */
export function explainFileError(error: unknown): unknown {
  const { code = '', path = 'the folder', syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof UpdaterError) return error;
  if (FULL.has(code))
    return new UpdaterError(
      'space',
      'The disk is full.',
      'Make room, then try again. What is installed can still be played.',
      { cause: error },
    );
  if (DENIED.has(code))
    return new UpdaterError('folder', `${path} can’t be changed.`, 'Check the permissions, and close the game.', {
      cause: error,
    });
  // Such as below a file, or with a name that is too long.
  if (syscall === 'mkdir')
    return new UpdaterError('folder', `The folder ${path} can’t be created (${code}).`, 'Choose another folder.', {
      cause: error,
    });
  return error;
}
