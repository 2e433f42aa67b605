// Turns the sources into a release: `npm run release:prepare 0.3.0`. It sets the version of all packages, starts the
// section of the changelog, and records the last migration. Commit the result as `release: 0.3.0`.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isNewer, VERSION } from '@chauffeur/contract/version';
import { readMigrations, readReleases } from '../packages/server/src/kernel/database/migrate.ts';

const ROOT = join(import.meta.dirname, '..');
const UNRELEASED = '## Unreleased\n';

const version = process.argv[2] ?? '';
if (!/^\d+\.\d+\.\d+$/.test(version) || !isNewer(version, VERSION)) {
  process.stderr.write(`error: Name a version that is newer than ${VERSION}: npm run release:prepare 1.2.3\n`);
  process.exit(1);
}

const packages = (await readdir(join(ROOT, 'packages'))).map((name) => `packages/${name}/package.json`);
for (const path of [...packages, 'e2e/package.json', 'bench/package.json']) await edit(path, setVersion);
await edit('package-lock.json', setLockedVersions);
await edit('ops/helm/chauffeur/Chart.yaml', (text) =>
  text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`),
);
await edit('CHANGELOG.md', startSection);
await edit('packages/server/migrations/releases.json', await addRelease());
process.stdout.write(`The sources are version ${version} now. Read the changelog, run npm run check, and commit.\n`);

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(ROOT, path);
  await writeFile(file, change(await readFile(file, 'utf8')));
}

/** Our packages depend on each other by their exact version. */
function setVersion(text: string): string {
  return text
    .replace(/^ {2}"version": ".*"/m, `  "version": "${version}"`)
    .replaceAll(/("@chauffeur\/\w+": )"[^"]*"/g, `$1"${version}"`);
}

function setLockedVersions(text: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, { version?: string; dependencies?: object }> };
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (/^(packages\/\w+|e2e|bench)$/.test(path)) {
      entry.version = version;
      entry.dependencies = JSON.parse(
        JSON.stringify(entry.dependencies ?? {}).replaceAll(/("@chauffeur\/\w+":)"[^"]*"/g, `$1"${version}"`),
      ) as object;
      if (Object.keys(entry.dependencies).length === 0) delete entry.dependencies;
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function startSection(text: string): string {
  const date = new Date().toISOString().slice(0, 10);
  return text.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${date})\n`);
}

async function addRelease(): Promise<(text: string) => string> {
  const releases = Object.fromEntries((await readReleases()).map((release) => [release.version, release.last]));
  const last = (await readMigrations()).at(-1)!.name;
  return () => `${JSON.stringify({ ...releases, [version]: last }, null, 2)}\n`;
}
