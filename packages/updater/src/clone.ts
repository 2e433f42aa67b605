// Clones of files, which share their bytes on file systems that can do that.
import { chmodSync, constants, copyFileSync, rmSync } from 'node:fs';

/** Returns whether the file system made a clone. Takes no time even for large files. */
export function clone(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    chmodSync(to, 0o644);
    return true;
  } catch {
    rmSync(to, { force: true });
    return false;
  }
}

/** `to` is a path at which nothing is. */
export function canClone(from: string, to: string): boolean {
  const can = clone(from, to);
  rmSync(to, { force: true });
  return can;
}
