// Opens a file that is uploaded as it is.
import { openAsBlob } from 'node:fs';
import { LocalError } from '../failures.ts';

/** Opens a file as a blob that stays on disk. Rejects with LocalError. */
export async function openFile(path: string): Promise<Blob> {
  try {
    // Throws at once if there is no such file.
    return await openAsBlob(path);
  } catch (cause) {
    throw new LocalError(`${path}: cannot be read.`, 'Check the path and its permissions.', { cause });
  }
}
