import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildPe, concat, words } from '../../test/build-pe.ts';
import { CORPUS_MISSING, listCorpus, readProgram } from '../../test/native-corpus.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { openPe } from '../pe/pe.ts';
import { readArm64Unwind } from './arm64.ts';

const XDATA_AT = 0x2000;

/** Returns the lines for a function at 0x1000, by the second word of its entry. */
function unwind(entry: number, xdata: Uint8Array = new Uint8Array(4)): string[] {
  const pdata = words(0x1000, entry);
  const file = buildPe({
    machine: 0xaa64,
    sections: [
      { name: '.text', address: 0x1000, bytes: new Uint8Array(0x400), executable: true },
      { name: '.xdata', address: XDATA_AT, bytes: xdata },
      { name: '.pdata', address: 0x3000, bytes: pdata },
    ],
    directories: { 3: [0x3000, pdata.length] },
  });
  const symbols = new RecordedSymbols();
  readArm64Unwind(openPe(new MemorySource(file)), symbols);
  return symbols.lines;
}

type Packed = {
  flag?: number;
  length: number;
  floats?: number;
  integers?: number;
  homes?: boolean;
  link: number;
  frame: number;
};

/** `length` is in instructions, `frame` in bytes, `floats` and `integers` are the numbers in the fields. */
function packed({ flag = 1, length, floats = 0, integers = 0, homes = false, link, frame }: Packed): number {
  const word = flag | (length << 2) | (floats << 13) | (integers << 16) | ((homes ? 1 : 0) << 20) | (link << 21);
  return (word | ((frame / 16) << 23)) >>> 0;
}

type Full = { length: number; codes: number[]; epilogues?: [start: number, index: number][]; single?: number };

function full({ length, codes, epilogues = [], single }: Full): Uint8Array {
  const padded = concat(codes, new Array<number>((4 - (codes.length % 4)) % 4).fill(0xe3));
  const count = single ?? epilogues.length;
  const header = length | ((single === undefined ? 0 : 1) << 21) | (count << 22) | ((padded.length / 4) << 27);
  return concat(words(header >>> 0, ...epilogues.map(([start, index]) => (start | (index << 22)) >>> 0)), padded);
}

describe('packed unwind information', () => {
  it('describes a frame with a chain', () => {
    // stp x19, x20, [sp, -32]!; stp x29, x30, [sp, -48]!; mov x29, sp; …; ldp x29, x30; ldp x19, x20; ret
    assert.deepEqual(unwind(packed({ length: 16, integers: 2, link: 3, frame: 64 })), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 16 + x19: .cfa -16 + ^ x20: .cfa -8 + ^',
      'STACK CFI 1008 .cfa: sp 64 + .ra: .cfa -56 + ^ x29: .cfa -64 + ^',
      'STACK CFI 100c .cfa: x29 64 +',
      'STACK CFI 1034 .cfa: sp 64 +',
      'STACK CFI 1038 .cfa: sp 16 + .ra: x30 x29: x29',
      'STACK CFI 103c .cfa: sp 0 + x19: x19 x20: x20',
    ]);
  });

  it('signs the return address first', () => {
    const lines = unwind(packed({ length: 16, link: 2, frame: 32 }));
    assert.deepEqual(lines.slice(0, 3), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1008 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^',
      'STACK CFI 100c .cfa: x29 32 +',
    ]);
    // ldp x29, x30; autibsp; ret
    assert.deepEqual(lines.slice(3), ['STACK CFI 1034 .cfa: sp 32 +', 'STACK CFI 1038 .cfa: sp 0 + .ra: x30 x29: x29']);
  });

  it('stores the link register with or after the last register', () => {
    // sub sp, sp, 16; stp x19, x30, [sp]; sub sp, sp, 16
    assert.deepEqual(unwind(packed({ length: 16, integers: 1, link: 1, frame: 32 })).slice(0, 4), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 16 +',
      'STACK CFI 1008 .ra: .cfa -8 + ^ x19: .cfa -16 + ^',
      'STACK CFI 100c .cfa: sp 32 +',
    ]);
    // str x30, [sp, -16]!
    assert.deepEqual(unwind(packed({ length: 16, link: 1, frame: 16 })).slice(1, 2), [
      'STACK CFI 1004 .cfa: sp 16 + .ra: .cfa -16 + ^',
    ]);
    // stp x19, x20, [sp, -32]!; str x30, [sp, 16]
    assert.deepEqual(unwind(packed({ length: 16, integers: 2, link: 1, frame: 32 })).slice(1, 3), [
      'STACK CFI 1004 .cfa: sp 32 + x19: .cfa -32 + ^ x20: .cfa -24 + ^',
      'STACK CFI 1008 .ra: .cfa -16 + ^',
    ]);
  });

  it('counts the instructions for floating-point registers, parameters and large frames', () => {
    // stp x19, x20, [sp, -112]!; stp d8, d9; str d10; four times stp for parameters; sub sp, sp, 4080; sub sp, sp, 512
    const lines = unwind(packed({ length: 60, integers: 2, floats: 2, homes: true, link: 0, frame: 112 + 4592 }));
    assert.deepEqual(lines, [
      'STACK CFI INIT 1000 f0 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 112 + x19: .cfa -112 + ^ x20: .cfa -104 + ^',
      'STACK CFI 1020 .cfa: sp 4192 +',
      'STACK CFI 1024 .cfa: sp 4704 +',
      // The epilogue doesn't touch the parameters.
      'STACK CFI 10dc .cfa: sp 4192 +',
      'STACK CFI 10e0 .cfa: sp 112 +',
      'STACK CFI 10ec .cfa: sp 0 + x19: x19 x20: x20',
    ]);
  });

  it('has only one row for a part without prologue and epilogue', () => {
    assert.deepEqual(unwind(packed({ flag: 2, length: 16, link: 3, frame: 32 })), [
      'STACK CFI INIT 1000 40 .cfa: x29 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^',
    ]);
  });

  it('ignores frames that are smaller than what they contain', () => {
    assert.deepEqual(unwind(packed({ length: 16, integers: 4, link: 0, frame: 16 })), []);
    assert.deepEqual(unwind(packed({ flag: 3, length: 16, link: 0, frame: 16 })), []);
  });
});

describe('full unwind information', () => {
  it('describes prologue and epilogue by the same codes', () => {
    // set_fp; save_regp x19, 16; save_fplr_x 32; end
    const codes = [0xe1, 0xc8, 0x02, 0x83, 0xe4];
    assert.deepEqual(unwind(XDATA_AT, full({ length: 16, codes, epilogues: [[8, 0]] })), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^',
      'STACK CFI 1008 x19: .cfa -16 + ^ x20: .cfa -8 + ^',
      'STACK CFI 100c .cfa: x29 32 +',
      'STACK CFI 1024 .cfa: sp 32 +',
      'STACK CFI 1028 x19: x19 x20: x20',
      'STACK CFI 102c .cfa: sp 0 + .ra: x30 x29: x29',
      'STACK CFI 1030 .cfa: x29 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^ x19: .cfa -16 + ^ x20: .cfa -8 + ^',
    ]);
  });

  it('reads the codes of an epilogue at the end from its own index', () => {
    // Parameters are stored only in the prologue: nop, nop; save_lrpair x19, 0; alloc_s 32; end
    const codes = [0xe3, 0xe3, 0xd6, 0x00, 0x02, 0xe4];
    assert.deepEqual(unwind(XDATA_AT, full({ length: 16, codes, single: 2 })), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 32 +',
      'STACK CFI 1008 .ra: .cfa -24 + ^ x19: .cfa -32 + ^',
      'STACK CFI 1038 .ra: x30 x19: x19',
      'STACK CFI 103c .cfa: sp 0 +',
    ]);
  });

  it('finds the pairs of save_next after the first pair', () => {
    // alloc_m 1024; save_next; save_next; save_r19r20_x 64; end
    const codes = [0xc0, 0x40, 0xe6, 0xe6, 0x28, 0xe4];
    assert.deepEqual(unwind(XDATA_AT, full({ length: 16, codes })), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30',
      'STACK CFI 1004 .cfa: sp 64 + x19: .cfa -64 + ^ x20: .cfa -56 + ^',
      'STACK CFI 1008 x21: .cfa -48 + ^ x22: .cfa -40 + ^',
      'STACK CFI 100c x23: .cfa -32 + ^ x24: .cfa -24 + ^',
      'STACK CFI 1010 .cfa: sp 1088 +',
    ]);
  });

  it('reads all other codes', () => {
    const rowsOf = (codes: number[]) => unwind(XDATA_AT, full({ length: 16, codes: [...codes, 0xe4] })).slice(1);
    assert.deepEqual(rowsOf([0xe0, 0x00, 0x10, 0x00]), ['STACK CFI 1004 .cfa: sp 65536 +']);
    assert.deepEqual(rowsOf([0xe2, 0x02, 0x02]), ['STACK CFI 1004 .cfa: sp 32 +', 'STACK CFI 1008 .cfa: x29 16 +']);
    assert.deepEqual(rowsOf([0xd0, 0xc1, 0x02]).at(-1), 'STACK CFI 1008 x22: .cfa -24 + ^');
    assert.deepEqual(rowsOf([0xd4, 0x43]), ['STACK CFI 1004 .cfa: sp 32 + x21: .cfa -32 + ^']);
    assert.deepEqual(rowsOf([0xcc, 0x83]), ['STACK CFI 1004 .cfa: sp 32 + x21: .cfa -32 + ^ x22: .cfa -24 + ^']);
    assert.deepEqual(rowsOf([0xda, 0x03]), ['STACK CFI 1004 .cfa: sp 32 +']);
    assert.deepEqual(rowsOf([0xde, 0x01]), ['STACK CFI 1004 .cfa: sp 16 +']);
    assert.deepEqual(rowsOf([0x42, 0xd8, 0x02, 0x04]), [
      'STACK CFI 1004 .cfa: sp 64 +',
      'STACK CFI 100c .ra: .cfa -40 + ^ x29: .cfa -48 + ^',
    ]);
    assert.deepEqual(rowsOf([0xfc]), []);
    assert.deepEqual(rowsOf([0xe7, 0x73, 0x01]), ['STACK CFI 1004 .cfa: sp 32 + x19: .cfa -32 + ^ x20: .cfa -24 + ^']);
  });

  it('starts a part without a prologue after that of the first part', () => {
    // end_c; set_fp; save_regp x19, 16; save_fplr_x 32; end. The epilogue is at the end.
    const codes = [0xe5, 0xe1, 0xc8, 0x02, 0x83, 0xe4];
    assert.deepEqual(unwind(XDATA_AT, full({ length: 16, codes, epilogues: [[12, 1]] })), [
      'STACK CFI INIT 1000 40 .cfa: x29 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^ x19: .cfa -16 + ^ x20: .cfa -8 + ^',
      'STACK CFI 1034 .cfa: sp 32 +',
      'STACK CFI 1038 x19: x19 x20: x20',
      'STACK CFI 103c .cfa: sp 0 + .ra: x30 x29: x29',
    ]);
  });

  it('ignores functions with codes that it does not know', () => {
    for (const codes of [[0xe9], [0xea], [0xdf], [0xed], [0xf0], [0xe6, 0x02], [0xe7, 0x80, 0]]) {
      assert.deepEqual(unwind(XDATA_AT, full({ length: 16, codes: [...codes, 0xe4] })), []);
    }
    assert.deepEqual(unwind(0x5000), []);
  });

  it('ignores epilogues that overlap', () => {
    const codes = [0x83, 0xe4];
    const lines = unwind(
      XDATA_AT,
      full({
        length: 16,
        codes,
        epilogues: [
          [0, 0],
          [8, 0],
          [9, 0],
        ],
      }),
    );
    assert.deepEqual(lines.slice(2), [
      'STACK CFI 1024 .cfa: sp 0 + .ra: x30 x29: x29',
      'STACK CFI 1028 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^',
    ]);
  });
});

describe('arm64 programs of the corpus', { skip: CORPUS_MISSING }, () => {
  for (const name of ['pdb-arm64-clang-O2', 'pub-pe-arm64-test'].filter((name) => listCorpus(name).length > 0)) {
    it(`${name}: functions begin and end with the frame of their caller`, () => {
      const symbols = new RecordedSymbols();
      readArm64Unwind(openPe(new MemorySource(readProgram(name)!.bytes)), symbols);
      const starts = symbols.lines.filter((line) => line.startsWith('STACK CFI INIT'));
      assert.ok(starts.length >= 10);
      for (const line of starts) assert.match(line, /\.cfa: sp 0 \+ \.ra: x30$/);
    });
  }
});
