import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mondayOf, weekBefore } from './week.ts';

describe('the week of a summary', () => {
  it('begins on the Monday of the time zone', () => {
    const sunday = new Date('2026-11-22T23:30:00Z');
    assert.equal(mondayOf(sunday, 'UTC'), null);
    assert.deepEqual(mondayOf(sunday, 'Europe/Berlin'), {
      date: '2026-11-23',
      began: new Date('2026-11-22T23:00:00Z'),
    });
    assert.deepEqual(mondayOf(sunday, 'Pacific/Auckland'), {
      date: '2026-11-23',
      began: new Date('2026-11-22T11:00:00Z'),
    });
    const monday = new Date('2026-11-23T03:00:00Z');
    assert.equal(mondayOf(monday, 'UTC')?.date, '2026-11-23');
    assert.equal(mondayOf(monday, 'America/Los_Angeles'), null);
  });

  it('has the seven days before it', () => {
    assert.deepEqual(weekBefore('2026-11-02'), { first: '2026-10-26', end: '2026-11-02' });
    assert.deepEqual(weekBefore('2027-01-04'), { first: '2026-12-28', end: '2027-01-04' });
  });
});
