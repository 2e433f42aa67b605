import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { largest, readList, rowsOf, type Series, sumOf, timesOf, toggled, withZeros, writeList } from './series.ts';

describe('the rows of a chart', () => {
  it('begin with the first hour and end before the last, with zeros where nothing came', () => {
    const times = timesOf('2026-11-20T22:00:00.000Z', '2026-11-21T01:00:00.000Z', 'hour');
    const values = withZeros(times, new Map([['2026-11-20T23:00:00.000Z', 7]]));
    const series: Series[] = [{ key: 'a.b', label: 'a.b', colour: 0, pattern: 0, values }];
    assert.deepEqual(rowsOf(times, series), [
      { at: '2026-11-20T22:00:00.000Z', s0: 0 },
      { at: '2026-11-20T23:00:00.000Z', s0: 7 },
      { at: '2026-11-21T00:00:00.000Z', s0: 0 },
    ]);
  });

  it('are one for each day, also where the clocks are changed', () => {
    const days = timesOf('2026-10-24T00:00:00.000Z', '2026-10-27T00:00:00.000Z', 'day');
    assert.deepEqual(
      days.map((day) => day.slice(0, 10)),
      ['2026-10-24', '2026-10-25', '2026-10-26'],
    );
  });
});

describe('largest', () => {
  const of = (...keys: (string | null)[]) => keys.map((key) => ({ key, points: [{ at: 't', count: 1 }] }));
  const keys = (counted: readonly (string | null)[]) => {
    const { kept, others } = largest(of(...counted));
    return [kept.map(({ key }) => key), others.map(({ key }) => key)];
  };

  it('keeps all where there is room', () => {
    assert.deepEqual(keys(['a', 'b', 'c', 'd']), [['a', 'b', 'c', 'd'], []]);
    assert.deepEqual(keys(['a', 'b', null]), [['a', 'b'], [null]]);
  });

  it('puts what has no room together, with what had no name before', () => {
    assert.deepEqual(keys(['a', 'b', 'c', 'd', 'e', null]), [
      ['a', 'b', 'c'],
      ['d', 'e', null],
    ]);
  });

  it('loses no event', () => {
    const counts = fc.array(fc.record({ key: fc.string(), count: fc.nat(100) }), { maxLength: 9 });
    fc.assert(
      fc.property(counts, (found) => {
        const counted = found.map(({ key, count }) => ({ key, points: [{ at: 't', count }] }));
        const { kept, others } = largest(counted);
        assert.ok(kept.length + Math.min(1, others.length) <= 4);
        const all = (sumOf(kept).get('t') ?? 0) + (sumOf(others).get('t') ?? 0);
        assert.equal(
          all,
          found.reduce((sum, { count }) => sum + count, 0),
        );
      }),
    );
  });
});

describe('a list in an address', () => {
  it('comes back as it was, whatever the names are', () => {
    const names = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('a', ',', '%', '2', 'C', ' ', 'é') }));
    fc.assert(fc.property(names, (list) => assert.deepEqual(readList(writeList(list)), list)));
  });

  it('drops what is no list', () => {
    assert.deepEqual([readList(undefined), readList(''), readList('a,%zz')], [[], [], ['a']]);
  });

  it('takes a text in, and out again', () => {
    assert.deepEqual([toggled(['a'], 'b'), toggled(['a', 'b'], 'a')], [['a', 'b'], ['b']]);
  });
});
