// A disk that is soon full, for tests of what a server does without space.
import { execFileSync } from 'node:child_process';

/** Mounts a disk of this size. Returns its folder, or null if this account cannot mount one. */
export function mountSmallDisk(folder: string, bytes: number): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    return null;
  }
}

export function unmountSmallDisk(folder: string): void {
  execFileSync('umount', [folder]);
}
