import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareRates } from './rate-difference.ts';

const round = (value: number | null) => (value === null ? null : Number(value.toFixed(4)));

describe('compareRates', () => {
  // The examples of Newcombe's paper (table II, method 10).
  for (const [share, other, low, high] of [
    [{ part: 56, total: 70 }, { part: 48, total: 80 }, 0.0524, 0.3339],
    [{ part: 9, total: 10 }, { part: 3, total: 10 }, 0.1705, 0.809],
    [{ part: 5, total: 56 }, { part: 0, total: 29 }, -0.0381, 0.1926],
    [{ part: 0, total: 10 }, { part: 0, total: 20 }, -0.1611, 0.2775],
    [{ part: 10, total: 10 }, { part: 0, total: 10 }, 0.6075, 1],
  ] as const)
    it(`has the interval ${low} to ${high} for ${share.part}/${share.total} and ${other.part}/${other.total}`, () => {
      const found = compareRates(share, other);
      assert.deepEqual([round(found.low), round(found.high)], [low, high]);
    });

  it('is unclear without data, and if the interval contains no difference', () => {
    const none = compareRates({ part: 0, total: 0 }, { part: 1, total: 2 });
    assert.deepEqual(none, {
      rate: null,
      other_rate: 0.5,
      difference: null,
      low: null,
      high: null,
      verdict: 'unclear',
    });
    assert.equal(compareRates({ part: 9, total: 10 }, { part: 8, total: 10 }).verdict, 'unclear');
    assert.equal(compareRates({ part: 990, total: 1000 }, { part: 950, total: 1000 }).verdict, 'better');
    assert.equal(compareRates({ part: 950, total: 1000 }, { part: 990, total: 1000 }).verdict, 'worse');
  });

  it('has an interval around the difference, and the opposite one for the builds exchanged', () => {
    const share = fc
      .record({ total: fc.integer({ min: 1, max: 1_000_000 }), fraction: fc.double({ min: 0, max: 1, noNaN: true }) })
      .map(({ total, fraction }) => ({ part: Math.round(total * fraction), total }));
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [there, back] = [compareRates(one, other), compareRates(other, one)];
        assert.ok(there.low! <= there.difference! + 1e-12 && there.difference! <= there.high! + 1e-12);
        assert.ok(there.low! >= -1 - 1e-12 && there.high! <= 1 + 1e-12);
        assert.ok(Math.abs(there.low! + back.high!) < 1e-9);
      }),
    );
  });
});
