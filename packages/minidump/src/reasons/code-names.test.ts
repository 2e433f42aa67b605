// Checks that every line of the long code tables is valid and unique.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CodeNames } from './code-names.ts';

test('finds the name of a code written in decimal or hex', () => {
  const names = new CodeNames('\n7 SEVEN\n0xc0000005 LARGE\n');
  assert.equal(names.get(7), 'SEVEN');
  assert.equal(names.get(0xc0000005), 'LARGE');
  assert.equal(names.get(8), undefined);
});

for (const list of ['fast-fails', 'hresults', 'nt-statuses', 'win32-errors']) {
  test(`each line of ${list} is a number and a name, in ascending order`, () => {
    const source = readFileSync(join(import.meta.dirname, 'windows', `${list}.ts`), 'utf8');
    const table = source.slice(source.indexOf('CodeNames(`\n') + 'CodeNames(`\n'.length, source.indexOf('\n`);'));
    let last = -1;
    for (const line of table.split('\n')) {
      assert.match(line, /^(\d+|0x[\da-f]{8}) [A-Z]\w+$/);
      const code = Number(line.split(' ')[0]);
      assert.ok(code > last, line);
      last = code;
    }
  });
}
