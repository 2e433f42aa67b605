// Builds the folder of the `chauffeur` command that the server hands out at /cli.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@chauffeur/contract/version';
import manifest from '../../packages/cli/package.json' with { type: 'json' };
import { bundleCommand } from './bundle-command.ts';
import { buildProgram, packProgram } from './executables.ts';
import { licencesOf } from './licences.ts';
import { fetchNode, NODE_BINARIES } from './node-binaries.ts';
import { packFolder } from './pack.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Where the Node binaries are kept. */
export const NODE_CACHE = join(ROOT, 'node_modules/.cache/release');

/**
 * Writes `chauffeur.tgz`, the package for npm, to `folder`, with `executables` the programs of all platforms too. The
 * version and checksums are in `command.json` and, as sha256sum reads them, in `SHA256SUMS`.
 */
export async function buildCommandFolder(folder: string, { executables }: { executables: boolean }): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'chauffeur-release-'));
  try {
    const bundle = join(work, 'chauffeur.cjs');
    const modules = await bundleCommand(bundle);
    await writeFile(join(work, 'package.json'), JSON.stringify(PACKAGE, null, 2));
    await writeFile(join(work, 'README.md'), README);
    await copyFile(join(ROOT, 'LICENSE'), join(work, 'LICENSE'));
    await writeFile(join(work, 'THIRD-PARTY-LICENCES.txt'), await licencesOf(modules));
    await packFolder(work, join(folder, 'chauffeur.tgz'));
    // One after the other: each needs half a gigabyte of memory.
    for (const binary of executables ? NODE_BINARIES : []) {
      const program = await buildProgram(binary.platform, await fetchNode(binary, NODE_CACHE), bundle);
      await writeFile(join(folder, `chauffeur-${binary.platform}.gz`), await packProgram(program));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const platforms = ['npm', ...(executables ? NODE_BINARIES.map(({ platform }) => platform) : [])];
  await describeFolder(folder, VERSION, platforms);
}

/** The platforms for which the folder has the command. */
export async function listFiles(folder: string): Promise<string[]> {
  return (await readDescription(folder)).files.map(({ platform }) => platform);
}

/** Adds a program that was written to the folder. */
export async function addToFolder(folder: string, platform: string): Promise<void> {
  const { version, files } = await readDescription(folder);
  await describeFolder(folder, version, [...new Set([...files.map((file) => file.platform), platform])]);
}

type Description = { version: string; files: { platform: string }[] };

async function readDescription(folder: string): Promise<Description> {
  return JSON.parse(await readFile(join(folder, 'command.json'), 'utf8')) as Description;
}

async function describeFolder(folder: string, version: string, platforms: readonly string[]): Promise<void> {
  const files = await Promise.all(platforms.map((platform) => describe(folder, platform)));
  await replaceFile(join(folder, 'SHA256SUMS'), files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
  await replaceFile(join(folder, 'command.json'), `${JSON.stringify({ version, files }, null, 2)}\n`);
}

/** A server that reads it at the same time gets the former one or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

async function describe(folder: string, platform: string) {
  const name = platform === 'npm' ? 'chauffeur.tgz' : `chauffeur-${platform}.gz`;
  const sha256 = createHash('sha256')
    .update(await readFile(join(folder, name)))
    .digest('hex');
  return { platform, name, size: (await stat(join(folder, name))).size, sha256 };
}

const PACKAGE = {
  name: manifest.name,
  version: VERSION,
  description: 'Ships the builds, symbols and store images of a game to a Chauffeur server.',
  license: manifest.license,
  bin: { chauffeur: 'chauffeur.cjs' },
  engines: { node: '>=22.15' },
};

const README = `# chauffeur

Ships the builds, symbols and store images of a game to a Chauffeur server. Run \`chauffeur --help\` for its commands.
`;
