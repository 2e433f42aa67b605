import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatExactTime,
  formatItems,
  formatRelativeTime,
  formatShare,
  formatSince,
  formatTimeLeft,
  shorten,
} from './format.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

describe('formatRelativeTime', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const ago = (seconds: number) => formatRelativeTime(new Date(now.getTime() - seconds * 1000), now);

  it('rounds to the nearest unit', () => {
    assert.deepEqual([0, 29, 30, 89, 90, 1.5 * HOUR, 6.4 * DAY, 6.99 * DAY].map(ago), [
      'just now',
      'just now',
      '1 minute ago',
      '1 minute ago',
      '2 minutes ago',
      '2 hours ago',
      '6 days ago',
      '7 days ago',
    ]);
  });

  it('moves to the next unit when rounding fills the smaller one', () => {
    assert.deepEqual([59.6 * MINUTE, 23.6 * HOUR, 13.6 * DAY, 62 * DAY, 360 * DAY].map(ago), [
      '1 hour ago',
      '1 day ago',
      '2 weeks ago',
      '2 months ago',
      '1 year ago',
    ]);
  });

  it('formats times in the future', () => {
    assert.deepEqual([-2 * HOUR, -7 * DAY + 5].map(ago), ['in 2 hours', 'in 7 days']);
  });
});

describe('formatSince', () => {
  it('is the time today, the day this year, and otherwise the day with its year', () => {
    const now = new Date(2026, 10, 30, 15, 0);
    const texts = [new Date(2026, 10, 30, 14, 5), new Date(2026, 10, 29, 23, 59), new Date(2025, 10, 30)].map((time) =>
      formatSince(time, now),
    );
    assert.deepEqual(texts, ['14:05', '29 Nov', '30 Nov 2025']);
  });
});

describe('formatItems', () => {
  it('uses the singular for exactly one', () => {
    assert.deepEqual(
      [0, 1, 2].map((count) => formatItems(count, 'session')),
      ['0 sessions', '1 session', '2 sessions'],
    );
    assert.equal(formatItems(2, 'entry', 'entries'), '2 entries');
  });
});

describe('formatShare', () => {
  it('always includes the sample size', () => {
    assert.deepEqual([formatShare(1220, 1240), formatShare(0, 0)], ['98.4% of 1,240', 'none yet']);
  });
});

describe('formatTimeLeft', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const left = (minutes: number) => formatTimeLeft(new Date(now.getTime() + minutes * 60_000), now);

  it('counts down in the two largest units, and to the minute only at the end', () => {
    assert.deepEqual([3063, 2880, 1441, 125, 61, 60, 4.9, 1, 0.5].map(left), [
      '2 days 3 hours',
      '2 days',
      '24 hours',
      '2 hours 5 minutes',
      '1 hour',
      '1 hour',
      '5 minutes',
      '1 minute',
      'less than a minute',
    ]);
  });

  it('starts with the whole time that was chosen', () => {
    const justBefore = (minutes: number) => left(minutes - 0.1);
    assert.deepEqual([60, 6 * 60, 24 * 60, 48 * 60, 7 * 1440, 30 * 1440].map(justBefore), [
      '1 hour',
      '6 hours',
      '24 hours',
      '2 days',
      '7 days',
      '30 days',
    ]);
  });

  it('is null once the time is up', () => {
    assert.deepEqual([left(0), left(-1)], [null, null]);
  });
});

describe('shorten', () => {
  it('keeps both ends, and leaves short text whole', () => {
    assert.deepEqual([shorten('0123456789abcdef'), shorten('012345678')], ['0123…cdef', '012345678']);
  });
});

describe('formatExactTime', () => {
  it('names the time zone', () => {
    assert.match(
      formatExactTime(new Date('2026-11-30T12:00:00Z')),
      /^\d{1,2} Nov 2026,? \d\d:\d\d:\d\d (UTC|GMT|[A-Z]{2,5})/,
    );
  });
});
