import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concat, words } from '../../test/build-pe.ts';
import { damage } from '../../test/damage.ts';
import { findMachoSection } from '../../test/macho-section.ts';
import { CORPUS_MISSING, readCorpus, readReference, rulesByFunction } from '../../test/native-corpus.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { readCompactUnwind } from './compact-unwind.ts';
import { decodePermutation, type ReadCode } from './x86.ts';

const NO_CODE: ReadCode = () => undefined;

function unwind(section: Uint8Array, cpu = 'x86_64', readCode = NO_CODE): string[] {
  const symbols = new RecordedSymbols();
  readCompactUnwind(new MemorySource(section), cpu, { readCode }, symbols);
  return symbols.lines;
}

const HEADER_SIZE = 28;

/** Builds a section with one regular page. */
function regular(end: number, ...entries: [address: number, encoding: number][]): Uint8Array {
  const page = HEADER_SIZE + 24;
  return concat(
    words(1, HEADER_SIZE, 0, HEADER_SIZE, 0, HEADER_SIZE, 2),
    words(entries[0]![0], page, 0, end, 0, 0),
    words(2, 8 | (entries.length << 16), ...entries.flat()),
  );
}

/** Returns the rules of a function with an encoding. */
function rulesOf(encoding: number, cpu = 'x86_64', readCode = NO_CODE): string | undefined {
  return unwind(regular(0x1040, [0x1000, encoding]), cpu, readCode)[0]?.replace('STACK CFI INIT 1000 40 ', '');
}

describe('readCompactUnwind', () => {
  it('reads regular pages', () => {
    assert.deepEqual(unwind(regular(0x1100, [0x1000, 0x0100_0000], [0x1080, 0x0202_0000])), [
      'STACK CFI INIT 1000 80 .cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^',
      'STACK CFI INIT 1080 80 .cfa: $rsp 16 + .ra: .cfa -8 + ^',
    ]);
  });

  it('reads compressed pages, with encodings of the section and of the page', () => {
    const [common, index] = [HEADER_SIZE, HEADER_SIZE + 4];
    const page = index + 24;
    const section = concat(
      words(1, common, 1, index, 0, index, 2),
      words(0x0202_0000),
      words(0x1000, page, 0, 0x1100, 0, 0),
      words(3, 12 | (3 << 16), 24 | (1 << 16)),
      words(0, 0x0100_0040, 0x0200_0080),
      words(0x0100_0000),
    );
    assert.deepEqual(unwind(section), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 16 + .ra: .cfa -8 + ^',
      'STACK CFI INIT 1040 40 .cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^',
    ]);
  });

  it('leaves out functions without rules or with rules in __eh_frame', () => {
    assert.deepEqual(unwind(regular(0x1100, [0x1000, 0], [0x1080, 0x0400_0123])), []);
    assert.deepEqual(unwind(regular(0x1100, [0x1000, 0x0300_0123]), 'arm64'), []);
    assert.deepEqual(unwind(regular(0x1100, [0x1000, 0x0100_0000]), 'ppc'), []);
  });

  it('finds registers that are saved below the frame pointer', () => {
    // Three words below it: r14, then nothing, then rbx.
    assert.equal(
      rulesOf(0x0103_0000 | 4 | (1 << 6)),
      '.cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^ $r14: .cfa -40 + ^ $rbx: .cfa -24 + ^',
    );
    assert.equal(rulesOf(0x0101_0004, 'x86'), '.cfa: $ebp 8 + $ebp: .cfa -8 + ^ .ra: .cfa -4 + ^ $edi: .cfa -12 + ^');
  });

  it('finds registers that are pushed in a function without a frame pointer', () => {
    // Two registers: rbx is the first of six, rbp the last of the remaining five.
    assert.equal(
      rulesOf(0x0206_0000 | (2 << 10) | 4),
      '.cfa: $rsp 48 + .ra: .cfa -8 + ^ $rbx: .cfa -24 + ^ $rbp: .cfa -16 + ^',
    );
  });

  it('reads the size of large frames from the code', () => {
    // push rbx; sub rsp, 0x1000
    const readCode: ReadCode = (address, length) =>
      address === 0x1004 && length === 4 ? Uint8Array.of(0, 0x10, 0, 0) : undefined;
    const encoding = 0x0304_0000 | (2 << 13) | (1 << 10);
    assert.equal(rulesOf(encoding, 'x86_64', readCode), '.cfa: $rsp 4112 + .ra: .cfa -8 + ^ $rbx: .cfa -16 + ^');
    assert.equal(rulesOf(encoding), undefined);
    assert.equal(
      rulesOf(encoding, 'x86_64', () => Uint8Array.of(0, 0, 0, 0x80)),
      undefined,
    );
  });

  it('follows the prologue of a function with a frame pointer', () => {
    // push rbp; mov rbp, rsp; push r14; push rax; push rbx; sub rsp, 32
    const code = Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0x41, 0x56, 0x50, 0x53, 0x48, 0x83, 0xec, 0x20);
    const encoding = 0x0103_0000 | 1 | (4 << 6);
    assert.deepEqual(
      unwind(regular(0x1040, [0x1000, encoding]), 'x86_64', () => code),
      [
        'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
        'STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^',
        'STACK CFI 1004 .cfa: $rbp 16 +',
        'STACK CFI 1006 $r14: .cfa -24 + ^',
        'STACK CFI 1008 $rbx: .cfa -40 + ^',
      ],
    );
  });

  it('follows the prologue of a function without a frame pointer', () => {
    // endbr64; push r15; push rbx; sub rsp, 4096
    const code = Uint8Array.of(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57, 0x53, 0x48, 0x81, 0xec, 0, 0x10, 0, 0);
    const readCode: ReadCode = (address, length) => code.subarray(address - 0x1000, address - 0x1000 + length);
    // rbx is the first of six registers, r15 the fourth of the remaining five.
    const encoding = 0x030a_0000 | (3 << 13) | (2 << 10) | 3;
    assert.deepEqual(unwind(regular(0x1040, [0x1000, encoding]), 'x86_64', readCode), [
      'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
      'STACK CFI 1006 .cfa: $rsp 16 + $r15: .cfa -16 + ^',
      'STACK CFI 1007 .cfa: $rsp 24 + $rbx: .cfa -24 + ^',
      'STACK CFI 100e .cfa: $rsp 4120 +',
    ]);
  });

  it('finds a prologue after code that needs no frame', () => {
    // test rdi, rdi; je …; push rbp; mov rbp, rsp
    const code = Uint8Array.of(0x48, 0x85, 0xff, 0x74, 0x10, 0x55, 0x48, 0x89, 0xe5);
    assert.deepEqual(
      unwind(regular(0x1040, [0x1000, 0x0100_0000]), 'x86_64', () => code),
      [
        'STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
        'STACK CFI 1006 .cfa: $rsp 16 + $rbp: .cfa -16 + ^',
        'STACK CFI 1009 .cfa: $rbp 16 +',
      ],
    );
    // cbz x0, …; stp x29, x30, [sp, -16]!; mov x29, sp
    const words64 = words(0xb400_0260, 0xa9bf_7bfd, 0x9100_03fd);
    assert.deepEqual(
      unwind(regular(0x1040, [0x1000, 0x0400_0000]), 'arm64', () => words64),
      [
        'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30 0 +',
        'STACK CFI 1008 .cfa: sp 16 + .ra: .cfa -8 + ^ x29: .cfa -16 + ^',
        'STACK CFI 100c .cfa: x29 16 +',
      ],
    );
  });

  it('does not take code that calls functions for code without a frame', () => {
    const body = 'STACK CFI INIT 1000 40 .cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^';
    for (const call of [
      [0xe8, 1, 2, 3, 0],
      [0xff, 0xd0],
      [0xff, 0x15, 1, 2, 3, 4],
    ]) {
      const code = Uint8Array.of(...call, 0x55, 0x48, 0x89, 0xe5);
      const lines = unwind(regular(0x1040, [0x1000, 0x0100_0000]), 'x86_64', () => code);
      assert.equal(lines[0], body);
      assert.equal(lines[1], `STACK CFI ${(0x1000 + call.length).toString(16)} .cfa: $rsp 8 + $rbp: $rbp`);
    }
    for (const call of [0x9400_0010, 0xd63f_0100, 0xd73f_0900]) {
      const code = words(call, 0xa9bf_7bfd, 0x9100_03fd);
      const lines = unwind(regular(0x1040, [0x1000, 0x0400_0000]), 'arm64', () => code);
      assert.match(lines[0]!, /\.cfa: x29 16 \+/);
    }
  });

  it('finds the prologues of several functions that share an entry', () => {
    // push rbp; mov rbp, rsp; push rbx; …; ret; push rbp; mov rbp, rsp; push rbx
    const prologue = [0x55, 0x48, 0x89, 0xe5, 0x53];
    const code = Uint8Array.of(...prologue, 0x90, 0x5b, 0x5d, 0xc3, ...prologue);
    assert.deepEqual(unwind(regular(0x1040, [0x1000, 0x0101_0001]), 'x86_64', () => code).slice(3), [
      'STACK CFI 1005 $rbx: .cfa -24 + ^',
      'STACK CFI 1009 .cfa: $rsp 8 + $rbp: $rbp $rbx: $rbx',
      'STACK CFI 100a .cfa: $rsp 16 + $rbp: .cfa -16 + ^',
      'STACK CFI 100d .cfa: $rbp 16 +',
      'STACK CFI 100e $rbx: .cfa -24 + ^',
    ]);
    const pairs = [0xa9bf_7bfd, 0x9100_03fd];
    const arm64 = words(...pairs, 0xd65f_03c0, ...pairs);
    assert.deepEqual(unwind(regular(0x1040, [0x1000, 0x0400_0000]), 'arm64', () => arm64).slice(2), [
      'STACK CFI 1008 .cfa: x29 16 +',
      'STACK CFI 100c .cfa: sp 0 + .ra: x30 0 + x29: x29',
      'STACK CFI 1010 .cfa: sp 16 + .ra: .cfa -8 + ^ x29: .cfa -16 + ^',
      'STACK CFI 1014 .cfa: x29 16 +',
    ]);
  });

  it('follows the prologue of 32-bit code', () => {
    // push ebp; mov ebp, esp; push esi; sub esp, 16
    const code = Uint8Array.of(0x55, 0x8b, 0xec, 0x56, 0x83, 0xec, 0x10);
    assert.deepEqual(
      unwind(regular(0x1040, [0x1000, 0x0101_0005]), 'x86', () => code),
      [
        'STACK CFI INIT 1000 40 .cfa: $esp 4 + .ra: .cfa -4 + ^',
        'STACK CFI 1001 .cfa: $esp 8 + $ebp: .cfa -8 + ^',
        'STACK CFI 1003 .cfa: $ebp 8 +',
        'STACK CFI 1004 $esi: .cfa -12 + ^',
      ],
    );
  });

  it('takes the rules to hold from the start if the prologue is unusual', () => {
    const body = 'STACK CFI INIT 1000 40 .cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^';
    for (const code of [[0x90], [0x55, 0x90], [0x55, 0x53, 0x48, 0x89, 0xe5], [0x55, 0x48, 0x89], []]) {
      assert.deepEqual(
        unwind(regular(0x1040, [0x1000, 0x0100_0000]), 'x86_64', () => Uint8Array.from(code)),
        [body],
      );
    }
    // The upper bit says that this isn't the start of a function.
    const whole = Uint8Array.of(0x55, 0x48, 0x89, 0xe5);
    assert.deepEqual(
      unwind(regular(0x1040, [0x1000, 0x8100_0000]), 'x86_64', () => whole),
      [body],
    );
  });

  it('follows the prologues of arm64', () => {
    const rowsOf = (encoding: number, ...code: number[]) =>
      unwind(regular(0x1040, [0x1000, encoding]), 'arm64', () => words(...code));
    // pacibsp; stp x20, x19, [sp, -32]!; stp x29, x30, [sp, 16]; add x29, sp, 16
    assert.deepEqual(rowsOf(0x0400_0001, 0xd503_237f, 0xa9be_4ff4, 0xa901_7bfd, 0x9100_43fd), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30 0 +',
      'STACK CFI 1008 .cfa: sp 32 + x20: .cfa -32 + ^ x19: .cfa -24 + ^',
      'STACK CFI 100c .ra: .cfa -8 + ^ x29: .cfa -16 + ^',
      'STACK CFI 1010 .cfa: x29 16 +',
    ]);
    // orr x29, x29, 1 << 60; sub sp, sp, 64; stp x29, x30, [sp, 48]; str x22, [sp, 40]; add x29, sp, 48
    assert.deepEqual(rowsOf(0x0400_0000, 0xb244_03bd, 0xd101_03ff, 0xa903_7bfd, 0xf900_17f6, 0x9100_c3fd), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30 0 +',
      'STACK CFI 1008 .cfa: sp 64 +',
      'STACK CFI 100c .ra: .cfa -8 + ^ x29: .cfa -16 + ^',
      'STACK CFI 1014 .cfa: x29 16 +',
    ]);
    // stp x28, x27, [sp, -16]!; sub sp, sp, 8192; sub sp, sp, 16
    assert.deepEqual(rowsOf(0x0220_2010, 0xa9bf_6ffc, 0xd140_0bff, 0xd100_43ff), [
      'STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30 0 +',
      'STACK CFI 1004 .cfa: sp 16 + x28: .cfa -16 + ^ x27: .cfa -8 + ^',
      'STACK CFI 1008 .cfa: sp 8208 +',
      'STACK CFI 100c .cfa: sp 8224 +',
    ]);
    const body = 'STACK CFI INIT 1000 40 .cfa: x29 16 + x29: .cfa -16 + ^ .ra: .cfa -8 + ^';
    // nop; stp x29, x30, [sp, -32]!; mov x29, sp. The frame doesn't fit the encoding.
    assert.deepEqual(rowsOf(0x0400_0000, 0xd503_201f, 0xa9be_7bfd, 0x9100_03fd), [body]);
  });

  it('describes frames of arm64', () => {
    assert.equal(
      rulesOf(0x0400_0109, 'arm64'),
      '.cfa: x29 16 + x29: .cfa -16 + ^ .ra: .cfa -8 + ^ x19: .cfa -24 + ^ x20: .cfa -32 + ^ ' +
        'x25: .cfa -40 + ^ x26: .cfa -48 + ^ d8: .cfa -56 + ^ d9: .cfa -64 + ^',
    );
    assert.equal(rulesOf(0x0200_3001, 'arm64'), '.cfa: sp 48 + .ra: x30 0 + x19: .cfa -8 + ^ x20: .cfa -16 + ^');
  });

  it('rejects damaged sections', () => {
    const section = regular(0x1100, [0x1000, 0x0100_0000], [0x1080, 0x0202_0000]);
    const withWord = (at: number, value: number) => {
      const copy = section.slice();
      new DataView(copy.buffer).setUint32(at, value, true);
      return copy;
    };
    assert.throws(() => unwind(withWord(0, 2)), hasCode('unsupported'));
    assert.throws(() => unwind(withWord(24, 0x1000_0000)), hasCode('truncated'));
    assert.throws(() => unwind(withWord(HEADER_SIZE + 24, 4)), hasCode('malformed'));
    assert.throws(() => unwind(section.subarray(0, section.length - 1)), hasCode('truncated'));
  });

  it('rejects pages that overlap', () => {
    const index = Array.from({ length: 100 }, () => [0x1000, HEADER_SIZE + 1200, 0]).flat();
    const section = concat(
      words(1, HEADER_SIZE, 0, HEADER_SIZE, 0, HEADER_SIZE, 100),
      words(...index),
      words(2, 8 | (100 << 16), ...new Array<number>(200).fill(0)),
    );
    assert.throws(() => unwind(section), hasCode('malformed'));
  });
});

describe('damaged sections', () => {
  it('give a part of the rules or a DebugSymbolsError', () => {
    const entries = Array.from({ length: 100 }, (_, index): [number, number] => [
      0x1000 + 16 * index,
      [0x0103_0161, 0x0206_0804, 0x0304_4800][index % 3]!,
    ]);
    const code = Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0x41, 0x56, 0x53, 0x48, 0x83, 0xec, 0x20);
    for (const damaged of damage(regular(0x2000, ...entries), 300, 1)) {
      for (const cpu of ['x86_64', 'arm64']) {
        try {
          unwind(damaged, cpu, (_, length) => code.subarray(0, length));
        } catch (error) {
          assert.ok(error instanceof DebugSymbolsError, String(error));
        }
      }
    }
  });
});

describe('decodePermutation', () => {
  it('returns every order of registers exactly once', () => {
    for (const [count, permutations] of [
      [1, 6],
      [2, 30],
      [3, 120],
      [4, 360],
      [5, 720],
      [6, 720],
    ] as const) {
      const orders = Array.from({ length: permutations }, (_, number) => decodePermutation(count, number));
      for (const order of orders) assert.equal(new Set(order).size, count);
      assert.equal(new Set(orders.map(String)).size, permutations);
      assert.deepEqual(orders[0], [1, 2, 3, 4, 5, 6].slice(0, count));
    }
    assert.deepEqual(decodePermutation(0, 0), []);
    assert.deepEqual(decodePermutation(3, 1), [1, 2, 4]);
  });
});

describe('Mach-O programs of the corpus', { skip: CORPUS_MISSING }, () => {
  for (const [name, file, cpu] of [
    ['macho-x86_64-O2', 'engine', 'x86_64'],
    ['macho-x86_64-dylib', 'libplugin.dylib', 'x86_64'],
    ['pub-macho-x86_64-crash', 'crash', 'x86_64'],
    ['macho-arm64-O2', 'engine', 'arm64'],
  ] as const) {
    it(`${name}: has the rules of the reference`, () => {
      const program = readCorpus(`${name}/${file}`)!;
      const section = findMachoSection(program, '__unwind_info')!;
      const text = findMachoSection(program, '__text')!;
      const readCode: ReadCode = (address, length) => text.bytes.subarray(address - text.address).subarray(0, length);
      const ours = rulesByFunction(unwind(section.bytes, cpu, readCode));
      const expected = rulesByFunction(readReference(name, 'reference.binary-only.sym'));
      const wrong = [...ours].filter(([address, rules]) => {
        const [reference = '', ...others] = expected.get(address) ?? [];
        // The reference takes large frames for empty ones, forgets registers that are saved without a frame, and takes d8 and
        // d9 for d14 and d15.
        const isKnown = /^\.cfa: \$rsp 8 \+ \.ra: \S+ \S+ \+ \^$|sp \d+ \+ \.ra: x30 0 \+$| d14: /.test(reference);
        return others.length > 0 || !(isKnown || rules.includes(reference));
      });
      assert.deepEqual(wrong, []);
      assert.ok(ours.size >= 10);
    });
  }
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof DebugSymbolsError && error.code === code;
}
