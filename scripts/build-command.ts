// Builds the `chauffeur` command as the package that a server started from this checkout hands out.
import { join } from 'node:path';
import { buildCommandFolder } from './release/command-folder.ts';

await buildCommandFolder(join(import.meta.dirname, '../packages/cli/dist'), { executables: false });
