// Builds everything that is published, on one Linux machine: `npm run release`. With `--server`, builds only the package
// of the server. The same sources give the same bytes.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@chauffeur/contract/version';
import { buildCommandFolder } from './release/command-folder.ts';
import { buildServerPackage } from './release/server-package.ts';

const RELEASE = join(import.meta.dirname, '../release');
const SERVER = `chauffeur-server-${VERSION}.tgz`;

await rm(RELEASE, { recursive: true, force: true });
await mkdir(RELEASE);
await buildServerPackage(join(RELEASE, SERVER));
const sha256 = createHash('sha256')
  .update(await readFile(join(RELEASE, SERVER)))
  .digest('hex');
await writeFile(join(RELEASE, 'SHA256SUMS'), `${sha256}  ${SERVER}\n`);
if (!process.argv.includes('--server')) await buildCommandFolder(join(RELEASE, 'command'), { executables: true });
