// A temporary folder that is gone when its work is done, however the process ends.
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from './failures.ts';

/** Runs `work` with a new folder under `parent` (the system's where undefined), then removes the folder. */
export async function withTempFolder<T>(parent: string | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent ?? tmpdir(), 'chauffeur-')).catch((cause: unknown) => {
    throw new LocalError(`No temporary folder can be made in ${parent ?? tmpdir()}.`, 'Choose another with --tmp.', {
      cause,
    });
  });
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true }); // a second Ctrl-C exits at once
  process.on('exit', removeAtExit);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtExit);
  }
}
