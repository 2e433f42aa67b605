import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildPe, concat, words } from '../../test/build-pe.ts';
import { CORPUS_MISSING, readProgram, readReference } from '../../test/native-corpus.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { readPe } from './functions.ts';
import { openPe } from './pe.ts';

const TEXT = { name: '.text', address: 0x1000, bytes: new Uint8Array(0x100), executable: true };

describe('readPe', () => {
  it('names functions by exports, and the rest of the code after the file', () => {
    const texts = concat('exported\0', 'leaf\0', 'variable\0');
    const at = 0x2000;
    const textsAt = at + 40 + 12 + 12 + 8;
    const exports = concat(
      words(0, 0, 0, 0, 1, 3, 3, at + 40, at + 52, at + 64),
      words(0x1020, 0x1080, 0x3000),
      words(textsAt, textsAt + 9, textsAt + 14),
      [0, 0, 1, 0, 2, 0, 0, 0],
      texts,
    );
    const pdata = words(0x1000, 0x1010, 0x3000, 0x1020, 0x1044, 0x3000);
    const pe = openPe(
      new MemorySource(
        buildPe({
          sections: [
            TEXT,
            { name: '.edata', address: at, bytes: exports },
            { name: '.pdata', address: 0x3000, bytes: pdata },
          ],
          directories: { 0: [at, exports.length], 3: [0x3000, pdata.length] },
        }),
      ),
    );
    const symbols = new RecordedSymbols();
    readPe(pe, 'game.exe', symbols, (name) => `${name}()`);
    assert.deepEqual(symbols.lines, [
      'FUNC 1000 10 0 <unknown in game.exe>',
      'FUNC 1020 24 0 exported()',
      'PUBLIC 1080 0 leaf()',
      'PUBLIC 1081 0 <unknown in game.exe>',
    ]);
  });

  it('names functions by COFF symbols, without the decoration of 32-bit names', () => {
    const symbol = (name: string, address: number) =>
      concat(name, new Uint8Array(8 - name.length), words(address), [1, 0, 0x20, 0, 2, 0]);
    const contents = (machine: number) => ({
      machine,
      sections: [TEXT],
      symbols: { count: 2, bytes: concat(symbol('_main', 0x10), symbol('_send@8', 0x40), words(4)) },
    });
    const linesOf = (machine: number) => {
      const symbols = new RecordedSymbols();
      readPe(openPe(new MemorySource(buildPe(contents(machine)))), 'game.exe', symbols, (name) => name);
      return symbols.lines;
    };
    const end = 'PUBLIC 1100 0 <unknown in game.exe>';
    assert.deepEqual(linesOf(0x14c), ['PUBLIC 1010 0 main', 'PUBLIC 1040 8 send', end]);
    assert.deepEqual(linesOf(0x8664), ['PUBLIC 1010 0 _main', 'PUBLIC 1040 0 _send@8', end]);
  });

  it('writes nothing if nothing is known', () => {
    const symbols = new RecordedSymbols();
    readPe(openPe(new MemorySource(buildPe({ sections: [TEXT] }))), 'game.exe', symbols, (name) => name);
    assert.deepEqual(symbols.lines, []);
  });
});

describe('PE files of the corpus without a PDB', { skip: CORPUS_MISSING }, () => {
  for (const name of ['pub-pe-x86_64-mozwer', 'pub-pe-x86_64-only-symbol', 'pe-x86_64-mingw-stripped']) {
    it(`${name}: has the functions and public symbols of the reference`, () => {
      const program = readProgram(name)!;
      const symbols = new RecordedSymbols();
      readPe(openPe(new MemorySource(program.bytes)), program.name, symbols, (symbol) => symbol);
      const expected = readReference(name).filter((line) => /^(FUNC|PUBLIC)/.test(line));
      assert.deepEqual(symbols.lines.toSorted(), expected.toSorted());
    });
  }
});
