import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../kernel/secrets/ids.ts';
import { firstIdOf, partitionOf } from './partitions.ts';

describe('partitionOf', () => {
  it('starts a month with the lowest id that the month can have', () => {
    const last = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    assert.equal(partitionOf(new Date(last)).name, 'crash_reports_2026_11');
    assert.equal(partitionOf(new Date(last + 1)).name, 'crash_reports_2026_12');
    const boundary = partitionOf(new Date(last)).to;
    assert.equal(boundary, partitionOf(new Date(last + 1)).from);
    for (let no = 0; no < 100; no += 1) {
      assert.ok(newId(last) < boundary);
      assert.ok(newId(last + 1) >= boundary);
    }
  });

  it('continues from December to January', () => {
    assert.equal(firstIdOf(new Date('2026-12-31T23:00:00Z'), 1), firstIdOf(new Date('2027-01-01T00:00:00Z')));
  });
});
