import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import fc from 'fast-check';
import { alignStacks } from './compare-stacks.ts';

const frame = (name: string | null, offset = '0x1'): StackFrame => ({
  function: name,
  module: 'game',
  file: null,
  line: null,
  offset,
  trust: 'cfi',
  inlined: false,
  own: true,
});
const stack = (names: string) => [...names].map((name) => frame(name));
const rowsOf = (a: string, b: string) =>
  alignStacks(stack(a), stack(b)).map((row) => `${row.a?.function ?? '-'}${row.b?.function ?? '-'}`);

describe('aligned stacks', () => {
  for (const [a, b, rows] of [
    ['abc', 'abc', ['aa', 'bb', 'cc']],
    ['abc', 'xbc', ['a-', '-x', 'bb', 'cc']],
    ['abc', 'ac', ['aa', 'b-', 'cc']],
    ['', 'ab', ['-a', '-b']],
    ['aab', 'ab', ['aa', 'a-', 'bb']],
  ] as const)
    it(`of ${a} and ${b} are ${rows.join(' ')}`, () => assert.deepEqual(rowsOf(a, b), rows));

  it('compares frames without a name by their offset', () => {
    assert.equal(alignStacks([frame(null, '0x1')], [frame(null, '0x1')]).length, 1);
    assert.equal(alignStacks([frame(null, '0x1')], [frame(null, '0x2')]).length, 2);
  });

  it('have every frame of both stacks once and in order', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(names, names, (a, b) => {
        const rows = alignStacks(stack(a.join('')), stack(b.join('')));
        const side = (key: 'a' | 'b') => rows.flatMap((row) => row[key]?.function ?? []);
        assert.deepEqual([side('a'), side('b')], [a, b]);
      }),
    );
  });
});
