// Packs a folder as an npm package. npm writes the same bytes for the same files.
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

/** Packs `folder`, which has a package.json, into `file`, a .tgz. */
export async function packFolder(folder: string, file: string): Promise<void> {
  const args = ['pack', '--json', '--silent', '--pack-destination', dirname(file)];
  const [packed] = JSON.parse(await run('npm', args, folder)) as { filename: string }[];
  if (packed === undefined) throw new Error(`npm packed nothing in ${folder}`);
  await rename(join(dirname(file), packed.filename), file);
}
