import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import Type from './typebox-names.ts';

const CONTRACT = join(import.meta.dirname, '../../contract/src');

test('the website has a stand-in for each type that the contract uses', async () => {
  const used = new Set<string>();
  for (const file of await readdir(CONTRACT, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = await readFile(join(CONTRACT, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/\bType\.([A-Z]\w*)\(/g)) used.add(name);
  }
  assert.ok(used.has('Object'));
  assert.deepEqual(
    [...used].filter((name) => !(name in Type)),
    [],
  );
});
