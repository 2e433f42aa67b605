// Collects the licences of the packages that a bundle contains, which must accompany every copy of it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const IN_PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE_FILE = /^(licence|license|copying|notice)/i;

/** Returns the licence texts of the packages that the modules belong to, by name. Throws an Error if one has none. */
export async function licencesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((module) => IN_PACKAGE.exec(module)?.[1] ?? []));
  const texts = await Promise.all([...folders].map(licenceOf));
  return texts.sort().join('\n');
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length === 0 && license === undefined) throw new Error(`${name} has no licence`);
  return [`${name} ${version} (${license ?? 'see below'})`, '', ...texts.map((text) => `${text.trim()}\n`), ''].join(
    '\n',
  );
}

type Manifest = { name: string; version: string; license?: string };
