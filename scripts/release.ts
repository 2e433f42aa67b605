// Builds everything that is published, on one Linux machine: `npm run release`. The same sources give the same bytes.
import { join } from 'node:path';
import { buildCommandFolder } from './release/command-folder.ts';

const RELEASE = join(import.meta.dirname, '../release');

await buildCommandFolder(join(RELEASE, 'command'), { executables: true });
