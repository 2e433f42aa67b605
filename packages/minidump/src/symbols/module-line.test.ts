// Tests valid and invalid first lines of symbol files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MinidumpError } from '../error.ts';
import { readModuleLine, readSymbolFileHead } from './module-line.ts';

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

it('accepts a module without a name, as programs of MinGW have', () => {
  for (const end of ['\n', ' \n', ' \r\n', '', '\t '])
    assert.deepEqual(read(`MODULE windows x86_64 AB1${end}`), {
      os: 'windows',
      cpu: 'x86_64',
      debugId: 'AB1',
      name: '',
    });
});

describe('the start of a symbol file', () => {
  const codeOf = (text: string) => {
    const { codeId, codeFile } = readSymbolFileHead(Buffer.from(`MODULE windows x86 AB1 a.pdb${text}`));
    return [codeId, codeFile];
  };

  it('has the code id and the name of the code file, which is often missing', () => {
    assert.deepEqual(codeOf('\r\nINFO CODE_ID 5AB380779000 my game.exe \r\nFILE 0 a\n'), [
      '5AB380779000',
      'my game.exe',
    ]);
    assert.deepEqual(codeOf('\nINFO GENERATOR x\nINFO CODE_ID 10FAA6BB\nFILE 0 a\n'), ['10FAA6BB', '']);
  });

  it('has no code id without the record, or if it comes later', () => {
    for (const text of ['', '\n', '\nFILE 0 a\nINFO CODE_ID 5AB380779000 a.exe\n', '\nINFO CODE_ID\n'])
      assert.deepEqual(codeOf(text), ['', ''], text);
  });
});

for (const text of [
  '',
  '\n',
  'FILE 1 a\n',
  'MODULE mac arm64\n',
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
