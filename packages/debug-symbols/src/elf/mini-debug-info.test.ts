// Tests the names that a stripped program has in .gnu_debugdata.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { buildElf, bytes, concat, text, u16, u32, u64 } from '../../test/build-elf.ts';
import { packXz, WITHOUT_XZ } from '../../test/xz-command.ts';
import { convertFile } from '../convert-file.ts';
import { identityRecords } from '../identity.ts';

const CODE = 0x401000;
const CODE_SECTION = { name: '.text', flags: 6, address: CODE };
const EMPTY_SECTION = 8;

function symbolTable(names: readonly string[]) {
  const entries = names.map((name, index) => {
    const at = 1 + names.slice(0, index).join('').length + index;
    return concat(
      u32(at),
      bytes(0x12, 0),
      u16(1),
      u64(CODE + 0x10 * index),
      u64(0x10),
      name === '' ? bytes() : bytes(),
    );
  });
  return [
    { name: '.symtab', type: 2, link: 3, bytes: concat(new Uint8Array(24), ...entries) },
    { name: '.strtab', type: 3, bytes: text('', ...names) },
  ];
}

function miniOf(...names: string[]): Uint8Array {
  return buildElf([{ ...CODE_SECTION, type: EMPTY_SECTION, bytes: new Uint8Array(0x40) }, ...symbolTable(names)]);
}

function convert(debugData: Uint8Array, ...others: ReturnType<typeof symbolTable>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mini-debug-info-'));
  try {
    const code = { ...CODE_SECTION, bytes: new Uint8Array(0x40) };
    const path = join(folder, 'game');
    writeFileSync(path, buildElf([code, ...others, { name: '.gnu_debugdata', bytes: debugData }]));
    const { identity, writer } = convertFile(path);
    return [...writer.write(identityRecords(identity))].join('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = (symbols: string) => symbols.match(/^PUBLIC .*/gm) ?? [];

it('a stripped program has the names of its functions in .gnu_debugdata', { skip: WITHOUT_XZ }, () => {
  assert.deepEqual(names(convert(packXz(miniOf('_ZN4game4tickEv', 'main')))), [
    'PUBLIC 1000 0 game::tick()',
    'PUBLIC 1010 0 main',
  ]);
});

it('names are added to those in the tables of the program, and equal ones are written once', {
  skip: WITHOUT_XZ,
}, () => {
  const symbols = convert(packXz(miniOf('start', 'second')), ...symbolTable(['start']));
  assert.deepEqual(names(symbols), ['PUBLIC 1000 0 start', 'PUBLIC 1010 0 second']);
});

it('damaged data, or data that unpacks to too much, is left out', { skip: WITHOUT_XZ }, () => {
  const packed = packXz(miniOf('lost'));
  const bomb = packXz(concat(miniOf('lost'), new Uint8Array(32 * 1024 * 1024)));
  for (const data of [packed.subarray(0, 100), packXz(text('no ELF file')), text('no xz'), bomb])
    assert.deepEqual(names(convert(data)), []);
});
