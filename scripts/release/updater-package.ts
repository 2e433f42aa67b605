// Builds the package with which launchers install and update games: one module without dependencies, and its types.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { VERSION } from '@chauffeur/contract/version';
import { rolldown } from 'rolldown';
import manifest from '../../packages/updater/package.json' with { type: 'json' };
import { licencesOf } from './licences.ts';
import { packFolder } from './pack.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'packages/updater');
const OURS = ['contract', 'deltas'];
const ENTRY = 'updater/src/library';

/** Writes the package to `file`, a .tgz. */
export async function buildUpdaterPackage(file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'chauffeur-release-'));
  try {
    const folder = join(work, 'package');
    await mkdir(folder);
    const modules = await writeBundle(join(folder, 'updater.js'));
    await writeTypes(join(work, 'types'), join(folder, 'types'));
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
    await copyFile(join(SOURCE, 'README.md'), join(folder, 'README.md'));
    await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), await licencesOf(modules));
    await packFolder(folder, file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function writeBundle(file: string): Promise<string[]> {
  const input = join(SOURCE, 'src/library.ts');
  const bundle = await rolldown({ input, platform: 'node', transform: { target: 'node22' } });
  try {
    const { output } = await bundle.write({ file, format: 'esm', codeSplitting: false });
    return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  } finally {
    await bundle.close();
  }
}

/** Writes the declarations that the entry needs, with imports that need no other package. */
async function writeTypes(work: string, folder: string): Promise<void> {
  await mkdir(work);
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: work },
      // Types of modules in `node_modules` would be left out.
      paths: Object.fromEntries(
        OURS.map((name) => [`@chauffeur/${name}/*`, [join(ROOT, `packages/${name}/src/*.ts`)]]),
      ),
      ...{ rootDir: join(ROOT, 'packages'), typeRoots: [join(ROOT, 'node_modules/@types')] },
    },
    files: [join(SOURCE, 'src/library.ts')],
    include: [],
  };
  await writeFile(join(work, 'tsconfig.json'), JSON.stringify(options));
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(work, 'tsconfig.json')], ROOT);
  const pending = [ENTRY];
  for (const name of pending) {
    const text = await readFile(join(work, `${name}.d.ts`), 'utf8');
    const rewritten = text.replace(/(from |import\()(['"])([^'"]+)\2/g, (_, before, quote, specifier) => {
      const target = targetOf(name, specifier);
      if (target === null) return `${before}${quote}${specifier}${quote}`;
      if (!pending.includes(target)) pending.push(target);
      const path = posix.relative(posix.dirname(name), target);
      return `${before}${quote}${path.startsWith('.') ? '' : './'}${path}.js${quote}`;
    });
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, `${name}.d.ts`), rewritten);
  }
}

/** The module of ours that another one imports, as `package/src/name`; null for those of Node. */
function targetOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('node:')) return null;
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier.replace(/\.ts$/, ''));
  const [, name, path] = /^@chauffeur\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined) throw new Error(`${from} imports the types of ${specifier}, which isn't in the package`);
  return `${name}/src/${path}`;
}

const PACKAGE = {
  name: manifest.name,
  version: VERSION,
  description: 'Installs games from a Chauffeur server and keeps them up to date, for launchers.',
  license: manifest.license,
  type: 'module',
  exports: { '.': { types: `./types/${ENTRY}.d.ts`, default: './updater.js' } },
  engines: { node: '>=22.15' },
};
