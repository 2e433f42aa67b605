// A temporary folder that is removed when its work is done, however the process ends.
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from './failures.ts';

/** Runs `work` with a new folder in `parent` (by default the system's temporary folder), then removes it. */
export async function withTempFolder<T>(parent: string | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent ?? tmpdir(), 'chauffeur-')).catch((cause: unknown) => {
    throw new LocalError(`Cannot create a temporary folder in ${parent ?? tmpdir()}.`, 'Choose another with --tmp.', {
      cause,
    });
  });
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true }); // A second Ctrl-C exits immediately.
  process.on('exit', removeAtExit);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtExit);
  }
}
