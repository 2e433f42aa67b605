import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sayBytes, sayCount, sayRelative, sayShare, shorten } from './say.ts';

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

describe('sayBytes', () => {
  it('goes up by 1,024', () => {
    assert.deepEqual([0, 1023, 1024, 70_246, 5 * 1024 ** 3].map(sayBytes), [
      '0 bytes',
      '1,023 bytes',
      '1.0 KiB',
      '68.6 KiB',
      '5.0 GiB',
    ]);
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

describe('shorten', () => {
  it('keeps both ends, and all of what is short', () => {
    assert.deepEqual([shorten('0123456789abcdef'), shorten('012345678')], ['0123…cdef', '012345678']);
  });
});
