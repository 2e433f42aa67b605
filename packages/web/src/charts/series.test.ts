import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readList, splitLargest, sumOf, timesOf, toggled, withZeros, writeList } from './series.ts';

describe('timesOf and withZeros', () => {
  it('return one value for each hour, with zeros for empty hours', () => {
    const times = timesOf('2026-11-20T22:00:00.000Z', '2026-11-21T01:00:00.000Z', 'hour');
    const values = withZeros(times, new Map([['2026-11-20T23:00:00.000Z', 7]]));
    assert.deepEqual(
      [...values],
      [
        ['2026-11-20T22:00:00.000Z', 0],
        ['2026-11-20T23:00:00.000Z', 7],
        ['2026-11-21T00:00:00.000Z', 0],
      ],
    );
  });

  it('return one row for each day, even when the clocks change', () => {
    const days = timesOf('2026-10-24T00:00:00.000Z', '2026-10-27T00:00:00.000Z', 'day');
    assert.deepEqual(
      days.map((day) => day.slice(0, 10)),
      ['2026-10-24', '2026-10-25', '2026-10-26'],
    );
  });
});

describe('splitLargest', () => {
  const of = (...keys: (string | null)[]) => keys.map((key) => ({ key, points: [{ at: 't', count: 1 }] }));
  const keys = (counted: readonly (string | null)[]) => {
    const { kept, others } = splitLargest(of(...counted));
    return [kept.map(({ key }) => key), others.map(({ key }) => key)];
  };

  it('keeps every series if there is room', () => {
    assert.deepEqual(keys(['a', 'b', 'c', 'd']), [['a', 'b', 'c', 'd'], []]);
    assert.deepEqual(keys(['a', 'b', null]), [['a', 'b'], [null]]);
  });

  it('moves the smallest series to the others', () => {
    assert.deepEqual(keys(['a', 'b', 'c', 'd', 'e', null]), [
      ['a', 'b', 'c'],
      ['d', 'e', null],
    ]);
  });

  it('keeps the total', () => {
    const counts = fc.array(fc.record({ key: fc.string(), count: fc.nat(100) }), { maxLength: 9 });
    fc.assert(
      fc.property(counts, (input) => {
        const counted = input.map(({ key, count }) => ({ key, points: [{ at: 't', count }] }));
        const { kept, others } = splitLargest(counted);
        assert.ok(kept.length + Math.min(1, others.length) <= 4);
        const all = (sumOf(kept).get('t') ?? 0) + (sumOf(others).get('t') ?? 0);
        assert.equal(
          all,
          input.reduce((sum, { count }) => sum + count, 0),
        );
      }),
    );
  });
});

describe('readList and writeList', () => {
  it('round-trip any list of names', () => {
    const names = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('a', ',', '%', '2', 'C', ' ', 'é') }));
    fc.assert(fc.property(names, (list) => assert.deepEqual(readList(writeList(list)), list)));
  });

  it('drop items that are not valid', () => {
    assert.deepEqual([readList(undefined), readList(''), readList('a,%zz')], [[], [], ['a']]);
  });
});

describe('toggled', () => {
  it('adds a text and removes it again', () => {
    assert.deepEqual([toggled(['a'], 'b'), toggled(['a', 'b'], 'a')], [['a', 'b'], ['b']]);
  });
});
