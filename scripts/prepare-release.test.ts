// Tests that the versions of the sources agree with each other, as `npm run release:prepare` leaves them.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { isNewer, VERSION } from '@chauffeur/contract/version';
import { readMigrations, readReleases } from '../packages/server/src/kernel/database/migrate.ts';

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

test('all packages have the same version', async () => {
  const lock = JSON.parse(await read('package-lock.json')) as { packages: Record<string, { version: string }> };
  const packages = Object.entries(lock.packages).filter(([path]) => /^(packages\/\w+|e2e|bench)$/.test(path));
  assert.ok(packages.length >= 7);
  for (const [path, { version }] of packages) {
    const manifest = JSON.parse(await read(`${path}/package.json`)) as { version: string };
    assert.deepEqual([path, version, manifest.version], [path, VERSION, VERSION]);
  }
  const chart = await read('ops/helm/chauffeur/Chart.yaml');
  assert.match(chart, new RegExp(`^version: ${VERSION}$`, 'm'));
  assert.match(chart, new RegExp(`^appVersion: ${VERSION}$`, 'm'));
});

test('each release has a section of the changelog, and migrations that exist', async () => {
  const [releases, migrations, changelog] = await Promise.all([readReleases(), readMigrations(), read('CHANGELOG.md')]);
  assert.equal(releases.at(-1)?.version, VERSION);
  for (const [index, { version, last }] of releases.entries()) {
    assert.ok(index === 0 || isNewer(version, releases[index - 1]!.version));
    assert.ok(migrations.some(({ name }) => name === last));
    assert.match(changelog, new RegExp(`^## ${version} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm'));
  }
});
