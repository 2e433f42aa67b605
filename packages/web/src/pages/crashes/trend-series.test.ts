import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAYS_SHOWN, lastDays, seriesOf } from './trend-series.ts';

describe('lastDays', () => {
  it('returns 30 days up to today, with zeros for days without reports', () => {
    const counted = [
      { day: '2026-09-01', count: 9 },
      { day: '2026-11-20', count: 2 },
      { day: '2026-11-21', count: 3 },
    ];
    const days = lastDays(counted, new Date('2026-11-21T23:59:00Z'));
    assert.equal(days.length, DAYS_SHOWN);
    assert.equal(days[0]?.day, '2026-10-23');
    assert.deepEqual(days.slice(-3), [
      { day: '2026-11-19', count: 0 },
      { day: '2026-11-20', count: 2 },
      { day: '2026-11-21', count: 3 },
    ]);
    assert.equal(
      days.reduce((sum, { count }) => sum + count, 0),
      5,
    );
  });
});

describe('seriesOf', () => {
  it('returns a series for each version, most reports first, then one for the others', () => {
    const builds = [
      { build_id: 'b2', version: '1.1' },
      { build_id: 'b1', version: '1.1' },
      { build_id: 'a', version: '1.0' },
    ];
    const trend = [
      { day: '2026-11-20', version: null, count: 90 },
      { day: '2026-11-20', version: '1.0', count: 1 },
      { day: '2026-11-21', version: '1.0', count: 2 },
      { day: '2026-11-21', version: '1.1', count: 5 },
    ];
    const series = seriesOf({ builds, trend }, (id) => ['a', 'b1', 'b2'].indexOf(id), [
      '2026-11-20',
      '2026-11-21',
      '2026-11-22',
    ]);
    assert.deepEqual(
      series.map(({ label, colour, pattern }) => [label, colour, pattern]),
      [
        ['1.1', 1, 0],
        ['1.0', 0, 1],
        ['Other versions', 7, 2],
      ],
    );
    assert.deepEqual(
      [...(series[1]?.values ?? [])],
      [
        ['2026-11-20', 1],
        ['2026-11-21', 2],
        ['2026-11-22', 0],
      ],
    );
  });
});
