import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concat, words } from '../../test/build-pe.ts';
import { damage } from '../../test/damage.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { type ReadMemory, readExidx } from './arm-exidx.ts';
import { describeInstructions } from './instructions.ts';

const EXIDX_AT = 0x8000;
const EXTAB_AT = 0x9000;
const CODE = [{ address: 0x1000, size: 0x1000 }];

/** Builds a table of functions. A second word that refers to `.ARM.extab` is an offset in it. */
function exidx(...entries: [address: number, word: number, isOffset?: boolean][]): Uint8Array {
  return words(
    ...entries.flatMap(([address, word, isOffset], index) => {
      const at = EXIDX_AT + 8 * index;
      const second = isOffset ? EXTAB_AT + word - (at + 4) : word;
      return [(address - at) & 0x7fff_ffff, second >>> 0];
    }),
  );
}

function unwind(table: Uint8Array, extab: Uint8Array = new Uint8Array(0), code = CODE): string[] {
  const readMemory: ReadMemory = (address, length) => {
    const offset = address - EXTAB_AT;
    return offset >= 0 && offset + length <= extab.length ? extab.subarray(offset, offset + length) : undefined;
  };
  const symbols = new RecordedSymbols();
  readExidx(new MemorySource(table), EXIDX_AT, readMemory, code, symbols);
  return symbols.lines;
}

describe('readExidx', () => {
  it('reads instructions in the table', () => {
    // 0xa8b0b0: pop {r4, lr}; finish
    assert.deepEqual(unwind(exidx([0x1000, 0x80a8_b0b0], [0x1041, 0x80b0_b0b0])), [
      'STACK CFI INIT 1000 40 .cfa: sp 8 + r4: .cfa -8 + ^ .ra: .cfa -4 + ^',
      'STACK CFI INIT 1040 fc0 .cfa: sp 0 + .ra: lr',
    ]);
  });

  it('reads instructions in .ARM.extab for all personality routines', () => {
    // add sp, 8; pop {r4, lr}; finish
    const rules = '.cfa: sp 16 + r4: .cfa -8 + ^ .ra: .cfa -4 + ^';
    const extab = concat(
      words(0x8001_a8b0),
      words(0x8101_01a8, 0xb0b0_b0b0),
      words(0x8200_01a8),
      words(0x7fff_0000, 0x0101_a8b0, 0xb0b0_b0b0),
      words(0x8300_01a8),
    );
    const table = exidx(
      [0x1000, 0, true],
      [0x1010, 4, true],
      [0x1020, 12, true],
      [0x1030, 16, true],
      [0x1040, 28, true],
    );
    assert.deepEqual(unwind(table, extab), [
      `STACK CFI INIT 1000 10 ${rules}`,
      `STACK CFI INIT 1010 10 ${rules}`,
      `STACK CFI INIT 1020 10 ${rules}`,
      `STACK CFI INIT 1030 10 ${rules}`,
    ]);
  });

  it('leaves out functions that cannot be unwound, and those outside of the code', () => {
    const table = exidx(
      [0x800, 0x80b0_b0b0],
      [0x1000, 1],
      [0x1010, 0x8080_00b0],
      [0x1020, 0x40, true],
      [0x2000, 0x80b0_b0b0],
    );
    assert.deepEqual(unwind(table), []);
  });

  it('ends a function with its section', () => {
    const code = [
      { address: 0x3000, size: 0x100 },
      { address: 0x1000, size: 0x20 },
    ];
    assert.deepEqual(unwind(exidx([0x1010, 0x80b0_b0b0], [0x3000, 0x80b0_b0b0]), undefined, code), [
      'STACK CFI INIT 1010 10 .cfa: sp 0 + .ra: lr',
      'STACK CFI INIT 3000 100 .cfa: sp 0 + .ra: lr',
    ]);
  });

  it('ignores a part of an entry at the end, and gives up on entangled tables', () => {
    assert.deepEqual(unwind(exidx([0x1000, 0x80b0_b0b0]).subarray(0, 7)), []);
    const extab = concat(words(0x81ff_0101), new Uint8Array(1020).fill(1));
    const entries = Array.from({ length: 500 }, (_, index): [number, number, boolean] => [0x1000 + 2 * index, 0, true]);
    assert.throws(
      () => unwind(exidx(...entries), extab),
      (error) => error instanceof DebugSymbolsError && error.code === 'too-large',
    );
  });
});

describe('damaged tables', () => {
  it('give a part of the rules', () => {
    const entries = Array.from({ length: 100 }, (_, index): [number, number, boolean] => [
      0x1000 + 8 * index,
      4 * (index % 9),
      true,
    ]);
    const extab = words(0x8001_a8b0, 0x8102_01a8, 0x97c9_8301, 0xb0b0_b0b0, 0x7fff_0000, 0x0101_a8b0, 0xb0b0_b0b0);
    for (const damaged of damage(exidx(...entries), 100, 1)) unwind(damaged, extab);
    for (const damaged of damage(extab, 300, 1)) unwind(exidx(...entries), damaged);
  });
});

describe('describeInstructions', () => {
  const rulesOf = (...code: number[]) => describeInstructions(Uint8Array.from(code));

  it('adds to and subtracts from the stack pointer', () => {
    assert.equal(rulesOf(0x3f, 0x41, 0xb0), '.cfa: sp 248 + .ra: lr');
    // 0x204 + (0x81 as ULEB128 with two bytes) * 4
    assert.equal(rulesOf(0xb2, 0x81, 0x01), '.cfa: sp 1032 + .ra: lr');
    assert.equal(rulesOf(0xb2, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81), undefined);
    assert.equal(rulesOf(0xb2, 0x81), undefined);
  });

  it('pops registers, the lowest one first', () => {
    // The mask has r4, r11 and pc; a saved pc replaces the link register.
    assert.equal(rulesOf(0x88, 0x81), '.cfa: sp 12 + r4: .cfa -12 + ^ r11: .cfa -8 + ^ .ra: .cfa -4 + ^');
    assert.equal(rulesOf(0xa2), '.cfa: sp 12 + r4: .cfa -12 + ^ r5: .cfa -8 + ^ r6: .cfa -4 + ^ .ra: lr');
    assert.equal(rulesOf(0xb1, 0x08), '.cfa: sp 4 + r3: .cfa -4 + ^ .ra: lr');
    assert.equal(rulesOf(0xb1, 0x00), undefined);
    assert.equal(rulesOf(0xb1, 0x10), undefined);
  });

  it('continues where the frame pointer is', () => {
    // vsp = r7; sub vsp, 8; pop {r4, r7, lr}
    assert.equal(rulesOf(0x97, 0x41, 0x84, 0x09), '.cfa: r7 4 + r4: .cfa -12 + ^ r7: .cfa -8 + ^ .ra: .cfa -4 + ^');
    // Registers that were popped before remain relative to the stack pointer.
    assert.equal(rulesOf(0xa0, 0x9b), '.cfa: r11 0 + r4: sp 0 + ^ .ra: lr');
    assert.equal(rulesOf(0xa3, 0x97), undefined);
    assert.equal(rulesOf(0x9d), undefined);
    assert.equal(rulesOf(0x9f), undefined);
  });

  it('skips registers of floating-point units', () => {
    assert.equal(rulesOf(0xb3, 0x81), '.cfa: sp 20 + .ra: lr');
    assert.equal(rulesOf(0xb9), '.cfa: sp 20 + .ra: lr');
    assert.equal(rulesOf(0xd3), '.cfa: sp 32 + .ra: lr');
    assert.equal(rulesOf(0xc9, 0x83), '.cfa: sp 32 + .ra: lr');
    assert.equal(rulesOf(0xc1), '.cfa: sp 16 + .ra: lr');
    assert.equal(rulesOf(0xc7, 0x05), '.cfa: sp 8 + .ra: lr');
    assert.equal(rulesOf(0xb5, 0xb4), '.cfa: sp 4 + .ra: lr');
  });

  it('returns undefined if the function refuses to be unwound, or for spare codes', () => {
    for (const code of [[0x80, 0x00], [0xb6], [0xca, 0x00], [0xd8], [0xff], [0x88], [0x82, 0x00]]) {
      assert.equal(rulesOf(...code), undefined, String(code));
    }
  });
});
