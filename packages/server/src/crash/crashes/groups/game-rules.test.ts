import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesPattern } from './game-rules.ts';

const CASES: readonly (readonly [pattern: string, label: string, matches: boolean])[] = [
  ['Log::fatal', 'Log::fatal', true],
  ['Log::fatal', 'Log::fatally', false],
  ['Log::*', 'Log::fatal', true],
  ['Log::*', 'Log::', true],
  ['*::fatal', 'a::Log::fatal', true],
  ['*a*b*', 'xxaxxbxx', true],
  ['*a*b', 'ba', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['**a', 'a', true],
  ['a.b', 'axb', false],
];

for (const [pattern, label, matches] of CASES)
  test(`${pattern || 'an empty pattern'} ${matches ? 'matches' : "doesn't match"} ${label || 'an empty label'}`, () => {
    assert.equal(matchesPattern(pattern, label), matches);
  });

test('a pattern matches what the same expression matches', () => {
  const text = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', '*') });
  fc.assert(
    fc.property(text, fc.string({ maxLength: 10, unit: fc.constantFrom('a', 'b') }), (pattern, label) => {
      const expression = new RegExp(`^${pattern.replaceAll(/\*+/g, '.*')}$`);
      assert.equal(matchesPattern(pattern, label), expression.test(label));
    }),
  );
});

test('a malicious pattern takes no longer than others', () => {
  const begun = process.cpuUsage().user;
  assert.equal(matchesPattern(`${'*a'.repeat(100)}b`, 'a'.repeat(4000)), false);
  assert.ok(process.cpuUsage().user - begun < 2_000_000);
});
