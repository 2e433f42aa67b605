import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { trendOf } from './trend.ts';

describe('trendOf', () => {
  it('has the three versions with the most reports, and the sum of all others', () => {
    const counts = [
      { day: '2026-11-20', version: '1.0', count: 1 },
      { day: '2026-11-20', version: '1.1', count: 9 },
      { day: '2026-11-20', version: null, count: 50 },
      { day: '2026-11-21', version: '1.0', count: 1 },
      { day: '2026-11-21', version: '1.2', count: 5 },
      { day: '2026-11-21', version: '1.3', count: 3 },
    ];
    assert.deepEqual(trendOf(counts), [
      { day: '2026-11-20', version: null, count: 51 },
      { day: '2026-11-20', version: '1.1', count: 9 },
      { day: '2026-11-21', version: null, count: 1 },
      { day: '2026-11-21', version: '1.2', count: 5 },
      { day: '2026-11-21', version: '1.3', count: 3 },
    ]);
  });

  it('is empty without counts', () => assert.deepEqual(trendOf([]), []));
});
