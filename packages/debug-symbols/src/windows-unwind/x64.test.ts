import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildPe, concat, words } from '../../test/build-pe.ts';
import { CORPUS_MISSING, readProgram, readReference, rulesByFunction } from '../../test/native-corpus.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { openPe } from '../pe/pe.ts';
import { readX64Unwind } from './x64.ts';

const RBX = 3;
const RBP = 5;
const RSI = 6;
const RDI = 7;
const R12 = 12;

/** Unwind codes, with the offset of the next instruction. */
const push = (after: number, register: number) => [after, register << 4];
const allocateSmall = (after: number, size: number) => [after, 2 | ((size / 8 - 1) << 4)];
const allocateLarge = (after: number, size: number) => [after, 1, ...u16(size / 8)];
const allocateHuge = (after: number, size: number) => [after, 0x11, ...words(size)];
const setFrame = (after: number) => [after, 3];
const save = (after: number, register: number, offset: number) => [after, 4 | (register << 4), ...u16(offset / 8)];
const saveFar = (after: number, register: number, offset: number) => [after, 5 | (register << 4), ...words(offset)];
const saveXmm = (after: number) => [after, 8 | (6 << 4), ...u16(1)];
const machineFrame = (after: number, hasError: number) => [after, 10 | (hasError << 4)];
const epilogue = (low: number, high: number) => [low, 6 | (high << 4)];

function u16(value: number): number[] {
  return [value & 0xff, value >> 8];
}

type Info = { codes: number[]; version?: number; frame?: number; chained?: number[] };

/** Builds an UNWIND_INFO. The codes are in the order of the structure: the last step comes first. */
function unwindInfo({ codes, version = 1, frame = 0, chained }: Info): Uint8Array {
  const count = codes.length / 2;
  const padding = count % 2 === 1 ? [0, 0] : [];
  return concat([version | (chained ? 0x20 : 0), 0, count, frame], codes, padding, words(...(chained ?? [])));
}

const INFO_AT = 0x2000;
const SECOND_INFO_AT = 0x2100;

/** Returns the lines for functions whose UNWIND_INFO is at two addresses. */
function unwind(
  first: Info,
  { second, entries = [0x1000, 0x1040, INFO_AT], code = [] as number[] } = {} as Options,
): string[] {
  const xdata = new Uint8Array(0x200);
  xdata.set(unwindInfo(first));
  if (second !== undefined) xdata.set(unwindInfo(second), SECOND_INFO_AT - INFO_AT);
  const text = new Uint8Array(0x100).fill(0x90);
  text.set(code);
  const pdata = words(...entries);
  const file = buildPe({
    sections: [
      { name: '.text', address: 0x1000, bytes: text, executable: true },
      { name: '.xdata', address: INFO_AT, bytes: xdata },
      { name: '.pdata', address: 0x3000, bytes: pdata },
    ],
    directories: { 3: [0x3000, pdata.length] },
  });
  const symbols = new RecordedSymbols();
  readX64Unwind(openPe(new MemorySource(file)), symbols);
  return symbols.lines;
}

type Options = { second?: Info; entries?: number[]; code?: number[] };

describe('readX64Unwind', () => {
  it('writes a row for each step of a prologue', () => {
    assert.deepEqual(unwind({ codes: [...allocateSmall(7, 32), ...push(3, RBX), ...push(2, R12)] }), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa 8 - ^',
      'STACK CFI 1002 .cfa: $rsp 16 + $r12: .cfa 16 - ^',
      'STACK CFI 1003 .cfa: $rsp 24 + $rbx: .cfa 24 - ^',
      'STACK CFI 1007 .cfa: $rsp 56 +',
    ]);
  });

  it('finds registers that were stored in the area of the caller or in the frame', () => {
    assert.deepEqual(
      unwind({ codes: [...saveXmm(24), ...save(20, RBX, 0x30), ...saveFar(18, RSI, 8), ...allocateSmall(10, 40)] }),
      [
        'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa 8 - ^',
        'STACK CFI 100a .cfa: $rsp 48 +',
        'STACK CFI 1012 $rsi: .cfa 40 - ^',
        'STACK CFI 1014 $rbx: .cfa 0 - ^',
      ],
    );
  });

  it('computes the CFA from the frame register once it is set', () => {
    const codes = [...save(20, RBX, 0x90), ...setFrame(14), ...allocateLarge(9, 0x80), ...push(2, RBP)];
    assert.deepEqual(unwind({ codes, frame: RBP | (2 << 4) }), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa 8 - ^',
      'STACK CFI 1002 .cfa: $rsp 16 + $rbp: .cfa 16 - ^',
      'STACK CFI 1009 .cfa: $rsp 144 +',
      'STACK CFI 100e .cfa: $rbp 112 +',
      'STACK CFI 1014 $rbx: $rbp 112 + ^',
    ]);
  });

  it('goes on with the frame register when more is allocated after it', () => {
    const codes = [...allocateHuge(12, 0x100000), ...push(5, RBX), ...setFrame(4), ...push(1, RBP)];
    assert.deepEqual(unwind({ codes, frame: RBP }), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa 8 - ^',
      'STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa 16 - ^',
      'STACK CFI 1004 .cfa: $rbp 16 +',
      'STACK CFI 1005 $rbx: .cfa 24 - ^',
    ]);
  });

  it('starts a chained part after the prologues of its parents', () => {
    const lines = unwind(
      { codes: [...allocateSmall(6, 40), ...push(2, RDI)] },
      {
        second: { codes: save(5, RBX, 0x40), chained: [0x1000, 0x1040, INFO_AT] },
        entries: [0x1000, 0x1040, INFO_AT, 0x1040, 0x1060, SECOND_INFO_AT],
      },
    );
    assert.deepEqual(lines.slice(3), [
      'STACK CFI INIT 1040 20 .cfa: $rsp 56 + $rdi: .cfa 16 - ^ .ra: .cfa 8 - ^',
      'STACK CFI 1045 $rbx: .cfa -8 - ^',
    ]);
  });

  it('follows an entry that refers to another entry', () => {
    const lines = unwind(
      { codes: [...allocateSmall(6, 40), ...push(2, RDI)] },
      { entries: [0x1000, 0x1040, INFO_AT, 0x1040, 0x1060, 0x3001] },
    );
    assert.equal(lines[3], 'STACK CFI INIT 1040 20 .cfa: $rsp 56 + $rdi: .cfa 16 - ^ .ra: .cfa 8 - ^');
  });

  it('ignores a chain that never ends', () => {
    assert.deepEqual(unwind({ codes: [], chained: [0x1000, 0x1040, INFO_AT] }), []);
  });

  it('reads the interrupted stack pointer from a machine frame', () => {
    assert.deepEqual(unwind({ codes: [...allocateSmall(4, 16), ...push(1, RBX), ...machineFrame(0, 1)] }), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 32 + ^ .ra: $rsp 8 + ^',
      'STACK CFI 1001 .cfa: $rsp 40 + ^ $rbx: $rsp 0 + ^ .ra: $rsp 16 + ^',
      'STACK CFI 1004 .cfa: $rsp 56 + ^ $rbx: $rsp 16 + ^ .ra: $rsp 32 + ^',
    ]);
  });

  it('describes the epilogues that version 2 lists', () => {
    // The first code has the size, 4 bytes, and says that one is at the end. Another is 0x20 bytes before the end.
    const codes = [
      ...epilogue(4, 1),
      ...epilogue(0x20, 0),
      ...save(12, RSI, 8),
      ...allocateSmall(7, 32),
      ...push(3, R12),
      ...push(1, RBX),
    ];
    assert.deepEqual(unwind({ codes, version: 2 }).slice(5), [
      'STACK CFI 1020 .cfa: $rsp 24 + $rsi: $rsi',
      'STACK CFI 1022 .cfa: $rsp 16 + $r12: $r12',
      'STACK CFI 1023 .cfa: $rsp 8 + $rbx: $rbx',
      'STACK CFI 1024 .cfa: $rsp 56 + $r12: .cfa 24 - ^ $rbx: .cfa 16 - ^ $rsi: .cfa 48 - ^',
      'STACK CFI 103c .cfa: $rsp 24 + $rsi: $rsi',
      'STACK CFI 103e .cfa: $rsp 16 + $r12: $r12',
      'STACK CFI 103f .cfa: $rsp 8 + $rbx: $rbx',
    ]);
  });

  it('ignores functions with codes or versions that it does not know', () => {
    assert.deepEqual(unwind({ codes: [4, 7, 0, 0] }), []);
    assert.deepEqual(unwind({ codes: [4, 0xb] }), []);
    assert.deepEqual(unwind({ codes: push(1, RBX), version: 3 }), []);
    assert.deepEqual(unwind({ codes: [4, 1] }), []);
    assert.deepEqual(unwind({ codes: [] }, { entries: [0x1000, 0x1040, 0x9000] }), []);
  });

  it('ignores entries that are empty or reversed', () => {
    assert.deepEqual(
      unwind({ codes: [] }, { entries: [0x1040, 0x1040, INFO_AT, 0x1050, 0x1040, INFO_AT, 0, 5, INFO_AT] }),
      [],
    );
  });

  it('leaves out steps of a prologue that go on after the function', () => {
    const lines = unwind({ codes: [...allocateSmall(8, 40), ...push(1, RBX)] }, { entries: [0x1000, 0x1008, INFO_AT] });
    assert.deepEqual(lines, [
      'STACK CFI INIT 1000 8 .cfa: $rsp 8 + .ra: .cfa 8 - ^',
      'STACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^',
    ]);
  });
});

describe('epilogues in code', () => {
  const PROLOGUE = 0x10;

  /** Returns the rows after the prologue. The code is put behind 16 bytes. */
  function epiloguesOf(codes: number[], code: number[], frame = 0): string[] {
    const lines = unwind({ codes, frame }, { code: [...new Array<number>(PROLOGUE).fill(0x90), ...code] });
    return lines.slice(1).filter((line) => Number.parseInt(line.split(' ')[2]!, 16) >= 0x1000 + PROLOGUE);
  }

  const FRAME = [...allocateSmall(6, 32), ...push(2, R12), ...push(1, RBX)];
  const BODY = '.cfa: $rsp 56 + $r12: .cfa 24 - ^ $rbx: .cfa 16 - ^';

  it('follows add, pop and ret, and returns to the rules of the body', () => {
    // add rsp, 32; pop r12; pop rbx; ret
    assert.deepEqual(epiloguesOf(FRAME, [0x48, 0x83, 0xc4, 0x20, 0x41, 0x5c, 0x5b, 0xc3]), [
      'STACK CFI 1014 .cfa: $rsp 24 +',
      'STACK CFI 1016 .cfa: $rsp 16 + $r12: $r12',
      'STACK CFI 1017 .cfa: $rsp 8 + $rbx: $rbx',
      `STACK CFI 1018 ${BODY}`,
    ]);
  });

  it('recognizes jumps to other functions, but not those inside of the function', () => {
    const pops = [0x48, 0x83, 0xc4, 0x20, 0x41, 0x5c, 0x5b];
    const sizes = new Map([
      [[0xe9, 0x00, 0x10, 0, 0], 5],
      [[0xeb, 0x70], 2],
      [[0xeb, 0xe7], 2],
      [[0xff, 0x25, 1, 2, 3, 4], 6],
      [[0x48, 0xff, 0xe0], 3],
      [[0x48, 0xff, 0x25, 1, 2, 3, 4], 7],
      [[0x48, 0xff, 0x60, 0x10], 4],
      [[0xf3, 0xc3], 2],
      [[0xc2, 0x10, 0], 3],
    ]);
    for (const [exit, size] of sizes) {
      const end = (0x1017 + size).toString(16);
      assert.equal(epiloguesOf(FRAME, [...pops, ...exit]).at(-1), `STACK CFI ${end} ${BODY}`);
    }
    for (const inside of [
      [0xeb, 0x10],
      [0xe9, 0x10, 0, 0, 0],
      [0x48, 0xff, 0xd0],
      [0xff, 0xe0],
    ]) {
      assert.deepEqual(epiloguesOf(FRAME, [...pops, ...inside]), []);
    }
  });

  it('does not take an instruction that frees another size for an epilogue', () => {
    assert.deepEqual(epiloguesOf(FRAME, [0x48, 0x83, 0xc4, 0x28, 0x41, 0x5c, 0x5b, 0xc3]), []);
    assert.deepEqual(epiloguesOf(FRAME, [0x48, 0x83, 0xc4, 0x20, 0x5b, 0xc3]), []);
  });

  it('recognizes frames that are freed by the frame register', () => {
    const codes = [...setFrame(11), ...allocateLarge(6, 0x90), ...push(1, RBP)];
    const expected = [
      'STACK CFI 1014 .cfa: $rsp 16 +',
      'STACK CFI 1015 .cfa: $rsp 8 + $rbp: $rbp',
      'STACK CFI 1016 .cfa: $rbp 128 + $rbp: .cfa 16 - ^',
    ];
    // lea rsp, [rbp + 0x70]; pop rbp; ret
    assert.deepEqual(epiloguesOf(codes, [0x48, 0x8d, 0x65, 0x70, 0x5d, 0xc3], RBP | (2 << 4)), expected);
  });
});

describe('x86_64 programs of the corpus', { skip: CORPUS_MISSING }, () => {
  const cases = [
    'pdb-x86_64-clang-O0',
    'pdb-x86_64-clang-O2',
    'pdb-x86_64-clang-O2-dll',
    'pdb-x86_64-clang-funcsections-icf',
    'pe-dwarf-x86_64-mingw-O2',
    'pub-pe-dwarf-x86_64-basic64',
    'pub-pdb-x86_64-regtest64',
  ];
  for (const name of cases) {
    it(`${name}: the rules after the prologue are those of the reference`, () => {
      const symbols = new RecordedSymbols();
      readX64Unwind(openPe(new MemorySource(readProgram(name)!.bytes)), symbols);
      const ours = rulesByFunction(symbols.lines);
      const expected = rulesByFunction(readReference(name));
      assert.deepEqual([...ours.keys()], [...expected.keys()]);
      const wrong = [...expected].filter(([address, [rules = '']]) => !ours.get(address)?.includes(rules));
      assert.deepEqual(wrong, []);
    });
  }
});

describe('damaged x86_64 programs', () => {
  it('gives up on tables in which all functions share long chains', () => {
    const chain = Array.from({ length: 31 }, (_, index) => {
      const next = [0x1000, 0x1040, 0x2000 + (index + 1) * 0x220];
      return concat(unwindInfo({ codes: new Array<number[]>(250).fill(push(1, RBX)).flat(), chained: next }));
    });
    const xdata = new Uint8Array(0x220 * 40);
    for (const [index, info] of chain.entries()) xdata.set(info, index * 0x220);
    xdata.set(unwindInfo({ codes: [] }), 31 * 0x220);
    const entries = Array.from({ length: 1000 }, (_, index) => [0x1000 + index, 0x1001 + index, 0x2000]);
    const pdata = words(...entries.flat());
    const file = buildPe({
      sections: [
        { name: '.text', address: 0x1000, bytes: new Uint8Array(0x1000), executable: true },
        { name: '.xdata', address: 0x2000, bytes: xdata },
        { name: '.pdata', address: 0x10000, bytes: pdata },
      ],
      directories: { 3: [0x10000, pdata.length] },
    });
    assert.throws(
      () => readX64Unwind(openPe(new MemorySource(file)), new RecordedSymbols()),
      (error) => error instanceof DebugSymbolsError && error.code === 'too-large',
    );
  });
});
