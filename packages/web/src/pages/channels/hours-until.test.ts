import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hoursUntil } from './hours-until.ts';

const now = new Date('2026-11-30T12:00:00Z');

describe('hoursUntil', () => {
  it('returns the hours that lead to the same expiry', () => {
    assert.equal(hoursUntil('2026-11-30T18:00:00Z', now), 6);
    assert.equal(hoursUntil(null, now), 0);
    assert.ok(hoursUntil('2026-11-29T12:00:00Z', now) > 0);
  });
});
