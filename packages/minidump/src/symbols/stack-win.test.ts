import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runProgram } from './stack-win.ts';

const MEMORY = { word: (address: bigint) => (address >= 0x1000n && address < 0x2000n ? address + 1n : undefined) };

/** Returns the variables after running a program; undefined if it failed. */
function run(program: string): Record<string, bigint> | undefined {
  const variables = new Map([
    ['$ebp', 0x1010n],
    ['$esp', 0x1000n],
    ['.cbSavedRegs', 8n],
  ]);
  return runProgram(program, variables, MEMORY) && Object.fromEntries(variables);
}

const BEFORE = { $ebp: 0x1010n, $esp: 0x1000n, '.cbSavedRegs': 8n };

describe('runProgram', () => {
  for (const [subject, program, after] of [
    [
      'a function with a frame pointer',
      '$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =',
      { $T0: 0x1010n, $eip: 0x1015n, $ebp: 0x1011n, $esp: 0x1018n },
    ],
    ['a variable that was never set', '$L $T0 .cbSavedRegs - =', undefined],
    ['a variable read after it was set', '$T0 16 = $T1 $T0 .cbSavedRegs - =', { $T0: 16n, $T1: 8n }],
    ['an aligned frame', '$T0 $ebp 16 @ 4 - =', { $T0: 0x100cn }],
    ['an assignment without a space after it', '$T0 $ebp =$eip $T0 4 + ^ =', { $T0: 0x1010n, $eip: 0x1015n }],
    ['numbers that wrap at 32 bits', '$T0 0 1 - =', { $T0: 0xffff_ffffn }],
    ['a negative literal', '$T0 -4 =', { $T0: 0xffff_fffcn }],
    ['an assignment to a number', '4 5 =', undefined],
    ['an assignment without a value', '$T0 =', undefined],
    ['a variable without a value', '$T0 $T1 =', undefined],
    ['memory that is not in the dump', '$T0 16 ^ =', undefined],
    ['a division by zero', '$T0 1 0 / =', undefined],
    ['an invalid token', '$T0 frame =', undefined],
    ['an empty program', '', {}],
  ] as const) {
    it(`${after === undefined ? 'rejects' : 'runs'} ${subject}: ${program}`, () => {
      assert.deepEqual(run(program), after && { ...BEFORE, ...after });
    });
  }

  it('returns the variables that the program set', () => {
    const variables = new Map([['$ebp', 0x1010n]]);
    assert.deepEqual(runProgram('$eip 4096 ^ = $ebp $ebp =', variables, MEMORY), new Set(['$eip', '$ebp']));
  });

  it('keeps every value within 32 bits for any program', () => {
    const token = fc.constantFrom(
      '$eip',
      '$T0',
      '$ebp',
      '.raSearch',
      '=',
      '^',
      '+',
      '-',
      '*',
      '/',
      '%',
      '@',
      '4',
      '-1',
    );
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const variables = new Map([['$ebp', 0x1010n]]);
        runProgram(tokens.join(' '), variables, MEMORY);
        for (const value of variables.values()) assert.ok(value >= 0n && value < 2n ** 32n);
      }),
    );
  });
});
