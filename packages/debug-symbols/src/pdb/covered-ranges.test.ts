import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddressSet } from './address-set.ts';
import { CoveredRanges } from './covered-ranges.ts';

test('finds an address in any of the ranges, even if they contain each other', () => {
  const ranges = fc.array(fc.tuple(fc.nat(500), fc.nat(50)), { maxLength: 30 });
  fc.assert(
    fc.property(ranges, fc.nat(600), (list, address) => {
      const covered = new CoveredRanges();
      for (const [start, size] of list) covered.add(start, size);
      const expected = list.some(([start, size]) => address >= start && address < start + size);
      assert.equal(covered.has(address), expected);
    }),
  );
});

test('takes ranges after a search, and more than fit at first', () => {
  const covered = new CoveredRanges();
  assert.equal(covered.has(5), false);
  for (let index = 0; index < 3000; index++) covered.add(0xf0000000 + index * 16, 8);
  assert.equal(covered.has(0xf0000000 + 2999 * 16 + 7), true);
  assert.equal(covered.has(0xf0000000 + 2999 * 16 + 8), false);
  covered.add(0xf0000008, 1);
  assert.equal(covered.has(0xf0000008), true);
});

test('remembers addresses', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xfffffffe), { maxLength: 5000 }), (addresses) => {
      const seen = new Set<number>();
      const set = new AddressSet();
      for (const address of addresses) {
        assert.equal(set.add(address), !seen.has(address));
        seen.add(address);
      }
      assert.equal(set.has(addresses[0] ?? 1), addresses.length > 0);
    }),
    { numRuns: 30 },
  );
});
