import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sayCount, sayLeft, sayMs, sayRelative, saySeconds, sayShare, shorten } from './say.ts';

describe('sayRelative', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const before = (seconds: number) => sayRelative(new Date(now.getTime() - seconds * 1000), now);

  it('uses the largest unit of which there is a whole one', () => {
    assert.deepEqual([0, 59, 60, 3599, 3600, 86_400, 3 * 86_400, 8 * 86_400].map(before), [
      'now',
      'now',
      '1 minute ago',
      '59 minutes ago',
      '1 hour ago',
      'yesterday',
      '3 days ago',
      'last week',
    ]);
  });

  it('looks ahead as well', () => {
    assert.equal(before(-7200), 'in 2 hours');
  });
});

describe('sayCount', () => {
  it('is exact below ten thousand', () => {
    assert.deepEqual([9999, 12_345, 1_000_000].map(sayCount), ['9,999', '12.3K', '1M']);
  });
});

describe('sayShare', () => {
  it('never comes without what it is a share of', () => {
    assert.deepEqual([sayShare(1220, 1240), sayShare(0, 0)], ['98.4 % of 1,240', 'none yet']);
  });
});

describe('sayMs and saySeconds', () => {
  it('use the two largest units', () => {
    assert.deepEqual([0, 999, 1000, 4249, 59_999, 60_000, 125_000].map(sayMs), [
      '0 ms',
      '999 ms',
      '1.0 s',
      '4.2 s',
      '60.0 s',
      '1 min 0 s',
      '2 min 5 s',
    ]);
    assert.deepEqual([0, 59, 60, 3599, 3600, 12_059].map(saySeconds), [
      '0 s',
      '59 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '3 h 20 min',
    ]);
  });
});

describe('sayLeft', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const left = (minutes: number) => sayLeft(new Date(now.getTime() + minutes * 60_000), now);

  it('counts down to the minute, in the two largest units', () => {
    assert.deepEqual([3063, 2880, 1441, 125, 61, 60, 4.9, 1, 0.5].map(left), [
      '2 days 3 hours',
      '2 days',
      '1 day',
      '2 hours 5 minutes',
      '1 hour 1 minute',
      '1 hour',
      '4 minutes',
      '1 minute',
      'less than a minute',
    ]);
  });

  it('says nothing of what is over', () => {
    assert.deepEqual([left(0), left(-1)], [null, null]);
  });
});

describe('shorten', () => {
  it('keeps both ends, and all of what is short', () => {
    assert.deepEqual([shorten('0123456789abcdef'), shorten('012345678')], ['0123…cdef', '012345678']);
  });
});
