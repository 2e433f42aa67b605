// Builds everything that is published, on one Linux machine: `npm run release`. With `--server`, builds only the package
// of the server. The same sources give the same bytes.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@chauffeur/contract/version';
import { buildCommandFolder } from './release/command-folder.ts';
import { buildServerPackage } from './release/server-package.ts';
import { buildUpdaterPackage } from './release/updater-package.ts';

const RELEASE = join(import.meta.dirname, '../release');
const SERVER = `chauffeur-server-${VERSION}.tgz`;
const UPDATER = `chauffeur-updater-${VERSION}.tgz`;

await rm(RELEASE, { recursive: true, force: true });
await mkdir(RELEASE);
await buildServerPackage(join(RELEASE, SERVER));
const files = [SERVER];
if (!process.argv.includes('--server')) {
  await buildUpdaterPackage(join(RELEASE, UPDATER));
  files.push(UPDATER);
}
const sums = files.map(async (file) => {
  const bytes = await readFile(join(RELEASE, file));
  return `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`;
});
await writeFile(join(RELEASE, 'SHA256SUMS'), (await Promise.all(sums)).join(''));
if (!process.argv.includes('--server')) await buildCommandFolder(join(RELEASE, 'command'), { executables: true });
