// The `xz` command (xz-utils), which packs what tests unpack.
import { execFileSync } from 'node:child_process';

/** The option `skip` of tests that need the command: why they are skipped, or false. With CI=true, it has to be there. */
export const WITHOUT_XZ = hasXz() ? false : 'skipped: xz not found';

function hasXz(): boolean {
  try {
    execFileSync('xz', ['--version']);
    return true;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return false;
  }
}

export function packXz(content: Uint8Array | string, ...args: string[]): Buffer {
  return execFileSync('xz', ['-c', ...args], { input: content, maxBuffer: 2 ** 30 });
}
