// Adds the `chauffeur` command as a program for this platform to the folder of the command, from the package in it and
// the Node that runs this. A server that was started from a checkout runs it in the background: the program is offered
// once it is complete. Does nothing if the folder has the program already, or if this Node can't build one.
import { mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { addToFolder, listFiles } from './release/command-folder.ts';
import { buildProgram, ownPlatform, packProgram } from './release/executables.ts';
import { run } from './release/run.ts';

// It takes only what others leave of the processor.
setPriority(constants.priority.PRIORITY_LOW);

const folder = process.argv[2] ?? join(import.meta.dirname, '../packages/cli/dist');
/** Locally, saving time matters more than bytes. */
const LEVEL = 1;

const platform = ownPlatform();
if (platform !== null && !(await listFiles(folder)).includes(platform)) await alone(() => addProgram(platform));

async function addProgram(platform: string): Promise<void> {
  // The files are in the same folder, so that they can be moved into place.
  const work = await mkdtemp(join(folder, 'building-'));
  try {
    await run('tar', ['-xzf', join(folder, 'chauffeur.tgz'), '-C', work, 'package/chauffeur.cjs'], work);
    const program = await buildProgram(platform, process.execPath, join(work, 'package/chauffeur.cjs'));
    const file = join(work, 'program.gz');
    await writeFile(file, await packProgram(program, LEVEL));
    await rename(file, join(folder, `chauffeur-${platform}.gz`));
    await addToFolder(folder, platform);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Several servers may start at once. A lock of a process that has ended doesn't count. */
async function alone(work: () => Promise<void>): Promise<void> {
  const lock = join(folder, 'building.lock');
  const holder = Number(await readFile(lock, 'utf8').catch(() => '0'));
  if (holder > 0 && isRunning(holder)) return;
  await rm(lock, { force: true });
  const file = await open(lock, 'wx').catch(() => null);
  if (file === null) return;
  await file.writeFile(String(process.pid));
  await file.close();
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
