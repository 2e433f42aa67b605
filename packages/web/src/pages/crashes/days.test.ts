import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAYS_SHOWN, lastDays } from './days.ts';

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
