import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AMD64, ARM64, X86 } from '../contexts/contexts.ts';
import type { Cpu } from '../contexts/cpu.ts';
import { applyCfi, savedBelowCfa } from './cfi.ts';

/** Memory in which each word is its address plus 1: the word at 0x1000 is 0x1001. */
const MEMORY = { word: (address: bigint) => (address >= 0x1000n && address < 0x2000n ? address + 1n : undefined) };

const AMD64_FRAME = new Map([
  ['rip', 0x4000n],
  ['rsp', 0x1000n],
  ['rbp', 0x1100n],
  ['rbx', 7n],
  ['rax', 9n],
]);

function apply(rules: readonly string[], cpu: Cpu = AMD64, registers: ReadonlyMap<string, bigint> = AMD64_FRAME) {
  const caller = applyCfi(rules, cpu, registers, MEMORY);
  return caller instanceof Map ? Object.fromEntries(caller) : caller;
}

/** Evaluates an expression by assigning it to a register. */
function evaluate(expression: string): bigint | undefined {
  const caller = applyCfi([`.cfa: $rsp 8 + .ra: .cfa $r9: ${expression}`], AMD64, AMD64_FRAME, MEMORY);
  return caller instanceof Map ? caller.get('r9') : undefined;
}

describe('applyCfi', () => {
  it('returns the CFA as the stack pointer, the return address, and callee-saved registers', () => {
    assert.deepEqual(apply(['.cfa: $rsp 8 + .ra: .cfa 8 - ^']), { rbx: 7n, rbp: 0x1100n, rsp: 0x1008n, rip: 0x1001n });
  });

  it('replaces an earlier rule for a register by a later one, and keeps the others', () => {
    const rules = ['.cfa: $rsp 8 + .ra: .cfa -8 + ^', '.cfa: $rsp 16 + $rbp: .cfa -16 + ^', '.cfa: $rbp 16 +'];
    assert.deepEqual(apply(rules), { rbx: 7n, rbp: 0x1101n, rsp: 0x1110n, rip: 0x1109n });
  });

  it('restores the stack pointer by its own rule if there is one', () => {
    assert.equal(apply(['.cfa: $rsp 8 + .ra: .cfa -8 + ^ $rsp: .cfa 32 +'])?.['rsp' as never], 0x1028n);
  });

  it('returns `end` if the return address is undefined', () => {
    assert.equal(apply(['.cfa: $rsp 8 + .ra: .undef']), 'end');
  });

  it('returns `end` if there is no rule for the return address, as for _start', () => {
    assert.equal(apply(['.cfa: $rsp 8 +']), 'end');
    assert.equal(apply(['.cfa: $rsp 8 +', '.cfa: $rsp 16 + $rbp: .cfa -16 + ^']), 'end');
  });

  it('omits a register whose rule cannot be evaluated, and keeps the others', () => {
    assert.deepEqual(apply(['.cfa: $rsp 8 + .ra: .cfa -8 + ^ $rbx: .undef $rbp: 0 ^ $r12: $r13']), {
      rsp: 0x1008n,
      rip: 0x1001n,
    });
  });

  it('accepts registers with and without a dollar sign, and by any of their names', () => {
    const frame = new Map([
      ['sp', 0x1000n],
      ['lr', 0x4444n],
      ['fp', 0x1200n],
    ]);
    assert.deepEqual(apply(['.cfa: sp 0 + .ra: x30 x29: $x29 1 +'], ARM64, frame), {
      sp: 0x1000n,
      pc: 0x4444n,
      fp: 0x1201n,
    });
  });

  it('wraps at 32 bits on x86', () => {
    const frame = new Map([
      ['esp', 0xffff_fffcn],
      ['ebp', 0x1000n],
    ]);
    const caller = apply(['.cfa: $esp 8 + .ra: $ebp ^ $ebx: 0 1 -'], X86, frame);
    assert.deepEqual(caller, { esp: 4n, eip: 0x1001n, ebp: 0x1000n, ebx: 0xffff_ffffn });
  });

  for (const [problem, rules] of [
    ['no rules', []],
    ['no rule for .cfa', ['.ra: $rsp ^']],
    ['a CFA that depends on itself', ['.cfa: .cfa 8 + .ra: .cfa ^']],
    ['an unknown register', ['.cfa: $r12 8 + .ra: .cfa ^']],
    ['a return address outside the memory', ['.cfa: $rsp 8 + .ra: 16 ^']],
    ['tokens before a register', ['8 .cfa: $rsp 8 + .ra: .cfa ^', '.cfa:']],
    ['two values at the end', ['.cfa: $rsp 8 .ra: .cfa ^']],
    ['a stack that runs empty', ['.cfa: $rsp + .ra: .cfa ^']],
    ['a stack that grows without bound', [`.cfa: ${'1 '.repeat(100)}${'+ '.repeat(99)} .ra: $rsp ^`]],
  ] as const) {
    it(`returns undefined for ${problem}`, () => assert.equal(apply(rules), undefined));
  }

  for (const [expression, value] of [
    ['5 3 +', 8n],
    ['5 3 -', 2n],
    ['3 5 -', 0xffff_ffff_ffff_fffen],
    ['5 3 *', 15n],
    ['17 5 /', 3n],
    ['17 5 %', 2n],
    ['17 0 /', undefined],
    ['17 0 %', undefined],
    ['4119 16 @', 4112n],
    ['4119 0 @', undefined],
    ['4119 3 @', undefined],
    ['-8', 0xffff_ffff_ffff_fff8n],
    ['4096 ^', 0x1001n],
    ['4096 ^ 1 - ^', 0x1001n],
    ['$rax $rbx *', 63n],
    ['.cfa 3 -', 0x1005n],
    ['0x10', undefined],
    ['1e3', undefined],
    ['99999999999999999999', 99999999999999999999n % 2n ** 64n],
    ['999999999999999999999', undefined],
    ['5 =', undefined],
    ['', undefined],
  ] as const) {
    it(`evaluates "${expression}" to ${value}`, () => assert.equal(evaluate(expression), value));
  }

  it('returns values within the word size for any rules', () => {
    const token = fc.constantFrom(
      '.cfa:',
      '.ra:',
      '$rbx:',
      ':',
      '$rsp',
      '.cfa',
      '.undef',
      '^',
      '+',
      '-',
      '*',
      '/',
      '%',
      '@',
      '8',
      '-1',
    );
    fc.assert(
      fc.property(fc.array(fc.array(token).map((tokens) => tokens.join(' '))), (rules) => {
        const caller = applyCfi(rules, AMD64, AMD64_FRAME, MEMORY);
        if (caller === undefined || caller === 'end') return;
        for (const value of caller.values()) assert.ok(value >= 0n && value < 2n ** 64n);
      }),
    );
  });
});

describe('savedBelowCfa', () => {
  for (const [rule, bytes] of [
    ['x29: .cfa -32 + ^', 32n],
    ['x29: .cfa 32 - ^', 32n],
    ['x29: .cfa 32 + ^', -32n],
    ['x29: sp 32 - ^', undefined],
    ['x29: .cfa 32 -', undefined],
    ['x29: .cfa 32 * ^', undefined],
    ['x30: .cfa 32 - ^', undefined],
  ] as const) {
    it(`reads "${rule}" as ${bytes}`, () => assert.equal(savedBelowCfa([rule], 'x29'), bytes));
  }
});
