import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../kernel/ids.ts';
import { firstIdOf, partitionOf } from './partitions.sql.ts';

describe('the partition of a month', () => {
  it('begins with the first id that the month can have', () => {
    const last = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    assert.equal(partitionOf(new Date(last)), 'crash_reports_2026_11');
    assert.equal(partitionOf(new Date(last + 1)), 'crash_reports_2026_12');
    const border = firstIdOf(new Date(last), 1);
    assert.equal(border, firstIdOf(new Date(last + 1)));
    for (let no = 0; no < 100; no += 1) {
      assert.ok(newId(last) < border);
      assert.ok(newId(last + 1) >= border);
    }
  });

  it('goes from December to January', () => {
    assert.equal(firstIdOf(new Date('2026-12-31T23:00:00Z'), 1), firstIdOf(new Date('2027-01-01T00:00:00Z')));
  });
});
