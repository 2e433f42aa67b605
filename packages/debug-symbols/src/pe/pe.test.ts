// cspell:ignore AAAX
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildPe, concat, type PeContents, sectionOffset, words } from '../../test/build-pe.ts';
import { CORPUS_MISSING, listCorpus, readProgram, readReference } from '../../test/native-corpus.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { readCodeView } from './code-view.ts';
import { readCoffSymbols } from './coff-symbols.ts';
import { readExports } from './exports.ts';
import { openPe, type Pe } from './pe.ts';

const TEXT = { name: '.text', address: 0x1000, bytes: new Uint8Array(64).fill(0x90), executable: true };

function open(contents: PeContents): Pe {
  return openPe(new MemorySource(buildPe(contents)));
}

describe('openPe', () => {
  it('returns the CPU, the image base and the code identifier', () => {
    const pe = open({ timestamp: 0x1b2c3d, imageSize: 0x1a000, sections: [TEXT] });
    assert.equal(pe.cpu, 'x86_64');
    assert.equal(pe.headers.imageBase, 0x1_4000_0000n);
    assert.equal(pe.codeId, '001B2C3D1A000');
  });

  it('rejects files of other formats and for other CPUs', () => {
    assert.throws(() => openPe(new MemorySource(new Uint8Array(100))), hasCode('unknown-format'));
    assert.throws(() => openPe(new MemorySource(new Uint8Array(0))), hasCode('unknown-format'));
    assert.throws(() => open({ machine: 0x5064, sections: [] }), hasCode('unsupported'));
  });

  it('finds bytes by their address, in the headers as well', () => {
    const data = { name: '.data', address: 0x3000, bytes: Uint8Array.of(1, 2, 3, 4) };
    const pe = open({ sections: [TEXT, data] });
    assert.deepEqual([...pe.part(0x3001, 100).read(0, 3)], [2, 3, 4]);
    assert.equal(pe.part(0x3001, 100).size, 3);
    assert.equal(pe.part(0, 2).read(0, 2)[0], 0x4d);
    assert.throws(() => pe.part(0x3004, 1), hasCode('truncated'));
    assert.throws(() => pe.part(0x2000, 1), hasCode('truncated'));
  });

  it('ends a section where the next one starts', () => {
    const long = { name: '.long', address: 0x1000, bytes: new Uint8Array(0x2000).fill(1), executable: true };
    const pe = open({ sections: [long, { name: '.data', address: 0x2000, bytes: Uint8Array.of(2) }] });
    assert.equal(pe.sectionAt(0x1fff)?.name, '.long');
    assert.equal(pe.sectionAt(0x2000)?.name, '.data');
    assert.equal(pe.sectionAt(0x1fff)?.name, '.long');
  });

  it('reads long section names from the string table', () => {
    const strings = concat(words(40), '.debug_str_offsets\0', '.debug_info\0');
    const pe = open({
      sections: [
        { name: '/4', address: 0x1000, bytes: Uint8Array.of(7) },
        { name: '//AAAX', address: 0x2000, bytes: Uint8Array.of(8) },
        { name: '/9999', address: 0x3000, bytes: Uint8Array.of(9) },
      ],
      symbols: { count: 0, bytes: strings },
    });
    assert.deepEqual(
      pe.headers.sections.map(({ name }) => name),
      ['.debug_str_offsets', '.debug_info', '/9999'],
    );
    assert.deepEqual([...pe.section('.debug_info')!.read(0, 1)], [8]);
    assert.equal(pe.section('.debug_line'), undefined);
  });
});

describe('readCodeView', () => {
  function openWithRecord(record: Uint8Array, hasOffset = true): Pe {
    const contents: PeContents = {
      sections: [TEXT, { name: '.rdata', address: 0x2000, bytes: concat(new Uint8Array(28), record) }],
      directories: { 6: [0x2000, 28] },
    };
    const offset = hasOffset ? sectionOffset(contents, 1) + 28 : 0;
    contents.sections[1]!.bytes.set(words(2, record.length, 0x201c, offset), 12);
    return open(contents);
  }

  it('returns the identifier and the name of the PDB', () => {
    const guid = [0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde, 1, 2, 3, 4, 5, 6, 7, 0xab];
    const pe = openWithRecord(concat('RSDS', guid, words(0x2a), 'C:\\build\\game.pdb\0'));
    assert.deepEqual(readCodeView(pe), {
      debugId: '123456789ABCDEF001020304050607AB2a',
      path: 'C:\\build\\game.pdb',
      name: 'game.pdb',
    });
  });

  it('returns the time stamp of a PDB 2.0', () => {
    const pe = openWithRecord(concat('NB10', words(0, 0x3a1b2c3d, 5), 'old.pdb\0'));
    assert.equal(readCodeView(pe)?.debugId, '3A1B2C3D5');
  });

  it('finds a record by its address', () => {
    const pe = openWithRecord(concat('RSDS', new Uint8Array(16), words(1), 'game.pdb\0'), false);
    assert.equal(readCodeView(pe)?.name, 'game.pdb');
  });

  it('returns undefined for an unknown record and without one', () => {
    assert.equal(readCodeView(openWithRecord(concat('ABCD', new Uint8Array(30)))), undefined);
    assert.equal(readCodeView(openWithRecord(concat('RSDS'))), undefined);
    assert.equal(readCodeView(open({ sections: [TEXT] })), undefined);
  });
});

describe('readExports', () => {
  it('returns named exports in the order of their addresses, without forwarders', () => {
    const at = 0x2000;
    const names = ['beta', 'alpha', 'forwarded'];
    const texts = concat(...names.map((name) => `${name}\0`), 'OTHER.function\0');
    const textsAt = at + 40 + 12 + 12 + 8;
    const [beta, alpha, forwarded] = [textsAt, textsAt + 5, textsAt + 11];
    const table = concat(
      words(0, 0, 0, 0, 5, 3, 3, at + 40, at + 52, at + 64),
      words(0x1010, 0x1000, textsAt + 21),
      words(beta, alpha, forwarded),
      [0, 0, 1, 0, 2, 0, 0, 0],
      texts,
    );
    const sections = [TEXT, { name: '.edata', address: at, bytes: table }];
    const pe = open({ sections, directories: { 0: [at, table.length] } });
    assert.deepEqual(readExports(pe), [
      { address: 0x1000, name: 'alpha', ordinal: 6 },
      { address: 0x1010, name: 'beta', ordinal: 5 },
    ]);
    assert.deepEqual(readExports(open({ sections: [TEXT] })), []);
  });
});

describe('readCoffSymbols', () => {
  it('returns symbols of code with short and long names, and skips auxiliary entries', () => {
    const entry = (name: Uint8Array, value: number, section: number, type: number, storage: number, more = 0) =>
      concat(name, words(value), [section, 0, type, 0, storage, more]);
    const short = (name: string) => concat(name, new Uint8Array(8 - name.length));
    const pe = open({
      sections: [TEXT, { name: '.data', address: 0x2000, bytes: Uint8Array.of(1) }],
      symbols: {
        count: 6,
        bytes: concat(
          entry(short('.text'), 0, 1, 0, 3, 1),
          new Uint8Array(18).fill(0x41),
          entry(short('main'), 0x10, 1, 0x20, 2),
          entry(short('table'), 0, 2, 0, 2),
          entry(words(0, 4), 0x20, 1, 0x20, 3),
          entry(words(0, 900), 0x20, 1, 0x20, 3),
          words(40),
          'a_function_with_a_long_name\0',
        ),
      },
    });
    assert.deepEqual(
      [...readCoffSymbols(pe)],
      [
        { address: 0x1010, name: 'main', isFunction: true, isExternal: true },
        { address: 0x1020, name: 'a_function_with_a_long_name', isFunction: true, isExternal: false },
      ],
    );
  });
});

describe('PE files of the corpus', { skip: CORPUS_MISSING }, () => {
  for (const name of ['pe-', 'pdb-', 'pub-pe-', 'pub-pdb-'].flatMap((prefix) => listCorpus(prefix))) {
    const program = readProgram(name);
    if (program === undefined) continue;
    it(`${name}: has the identifiers of the reference`, () => {
      const pe = openPe(new MemorySource(program.bytes));
      const lines = readReference(name);
      const debugId = readCodeView(pe)?.debugId ?? '0'.repeat(33);
      const module = `MODULE windows ${pe.cpu} ${debugId} ${readCodeView(pe)?.name ?? program.name}`;
      assert.equal(
        module,
        lines.find((line) => line.startsWith('MODULE')),
      );
      assert.ok(lines.includes(`INFO CODE_ID ${pe.codeId} ${program.name}`));
    });
  }
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof DebugSymbolsError && error.code === code;
}
