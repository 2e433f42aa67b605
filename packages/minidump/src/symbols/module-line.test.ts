// Tests valid and invalid first lines of symbol files.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MinidumpError } from '../error.ts';
import { readModuleLine } from './module-line.ts';

const read = (text: string) => readModuleLine(Buffer.from(text));

it('parses a MODULE line', () => {
  const expected = { os: 'windows', cpu: 'x86', debugId: '5A9832E5287241C1838ED98914E9B7FF1', name: 'test app.pdb' };
  assert.deepEqual(read('MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 test app.pdb\r\nFILE 1 a\n'), expected);
  assert.deepEqual(read('MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 test app.pdb'), expected);
});

it('only needs the first line', () => {
  assert.equal(
    readModuleLine(Buffer.concat([Buffer.from('MODULE mac arm64 AB0 game\n'), new Uint8Array(10_000)])).name,
    'game',
  );
});

for (const text of [
  '',
  '\n',
  'FILE 1 a\n',
  'MODULE mac arm64 AB0\n',
  'MODULE mac arm64 AB0 \n',
  'MODULE mac arm64 G game\n',
  ' MODULE mac arm64 AB0 game\n',
  `MODULE mac arm64 AB0 ${'a'.repeat(5000)}\n`,
  `MODULE mac arm64 ${'A'.repeat(65)} game\n`,
]) {
  it(`rejects ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof MinidumpError && error.code === 'bad-symbols',
    );
  });
}
