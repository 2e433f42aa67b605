import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { findTestsOf, listFeatureNames } from './feature-tests.ts';
import { findFiles } from './suites.ts';

test('the tests of a feature are next to its sources, or have its name', async () => {
  const files = await findTestsOf('shop/bugs');
  assert.ok(files.includes('packages/server/test/bugs.triage.test.ts'), `${files}`);
  assert.ok(
    files.every((path) => /\/bugs[./]/.test(path)),
    `${files}`,
  );
});

test('a part of a feature has only its own tests', async () => {
  const files = await findTestsOf('crash/crashes/triage');
  assert.ok(files.includes('packages/server/test/crashes.triage.test.ts'), `${files}`);
  assert.ok(
    files.every((path) => /crashes[./]triage/.test(path)),
    `${files}`,
  );
});

test('a name that no folder has is refused', async () => {
  for (const name of ['people/none', 'none', ''])
    await assert.rejects(findTestsOf(name), /A feature is named like people\/games|No tests for/);
});

test('the name of each test that boots the server begins with a feature, or with "service" if it is about all of them', async () => {
  const names = await listFeatureNames();
  const files = await findFiles(['packages/server/test/*.test.ts']);
  const others = files.filter((path) => !names.has(basename(path).split('.')[0] ?? ''));
  assert.deepEqual(
    others.filter((path) => !basename(path).startsWith('service.')),
    [],
  );
});
