// Builds the package of the server: its bundle, the website, the migrations and the `chauffeur` command, in the folders
// that they have in a checkout.
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@chauffeur/contract/version';
import root from '../../package.json' with { type: 'json' };
import symbols from '../../packages/debug-symbols/package.json' with { type: 'json' };
import manifest from '../../packages/server/package.json' with { type: 'json' };
import { bundleServer } from './bundle-server.ts';
import { buildCommandFolder } from './command-folder.ts';
import { licencesOf } from './licences.ts';
import { packFolder } from './pack.ts';

const LAUNCHER = 'chauffeur-server.js';
const ROOT = join(import.meta.dirname, '../..');

/** Writes the package to `file`, a .tgz. */
export async function buildServerPackage(file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'chauffeur-release-'));
  try {
    await buildServerFolder(work);
    await packFolder(work, file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Writes the content of the package to `folder`, and returns the path of its program. The website must have been built. */
export async function buildServerFolder(folder: string): Promise<string> {
  const server = join(folder, 'packages/server');
  const modules = await bundleServer(join(server, 'dist'));
  await copyFile(join(import.meta.dirname, LAUNCHER), join(server, 'dist', LAUNCHER));
  await cp(join(ROOT, 'packages/server/migrations'), join(server, 'migrations'), { recursive: true });
  await cp(join(ROOT, 'packages/web/dist'), join(folder, 'packages/web/dist'), { recursive: true });
  await buildCommandFolder(join(folder, 'packages/cli/dist'), { executables: false });
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), README);
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const ofWebsite = await readFile(join(folder, 'packages/web/dist/third-party-licences.txt'), 'utf8');
  await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), `${await licencesOf(modules)}\n${ofWebsite}`);
  return join(server, 'dist', LAUNCHER);
}

/**
 * Everything else is in the bundle. These contain programs, native modules or WebAssembly, and Node itself for Linux
 * x64.
 */
const PACKAGE = {
  name: manifest.name,
  version: VERSION,
  description: 'Ships games to players, groups crash reports and measures launches: the Chauffeur server.',
  license: manifest.license,
  type: 'module',
  bin: { 'chauffeur-server': `packages/server/dist/${LAUNCHER}` },
  engines: root.engines,
  dependencies: { sharp: manifest.dependencies.sharp, ...symbols.dependencies },
  optionalDependencies: { ...manifest.optionalDependencies, ...root.optionalDependencies },
  allowScripts: root.allowScripts,
};

const README = `# chauffeur-server

The Chauffeur server, with its website and the \`chauffeur\` command. \`chauffeur-server start\` starts everything with an
embedded PostgreSQL and data in \`./data\`; \`chauffeur-server --help\` lists the commands. The website has the documentation
at \`/docs\`.
`;
