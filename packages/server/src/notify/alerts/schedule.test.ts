import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_SCHEDULE, isQuiet, isTimeZone, lastDigest, type Schedule } from './schedule.ts';

const berlin = (more: Partial<Schedule>): Schedule => ({ ...DEFAULT_SCHEDULE, timeZone: 'Europe/Berlin', ...more });

describe('quiet hours', () => {
  test('are times in the time zone of the game, in summer and in winter', () => {
    const schedule = berlin({ quietHours: { from: '12:00', until: '13:00' } });
    assert.equal(isQuiet(new Date('2026-07-01T10:00:00Z'), schedule), true);
    assert.equal(isQuiet(new Date('2026-07-01T11:00:00Z'), schedule), false);
    assert.equal(isQuiet(new Date('2026-12-01T10:59:59Z'), schedule), false);
    assert.equal(isQuiet(new Date('2026-12-01T11:59:59Z'), schedule), true);
  });

  test('can pass midnight', () => {
    const schedule = { ...DEFAULT_SCHEDULE, quietHours: { from: '22:00', until: '08:00' } };
    const quiet = ['21:59', '22:00', '23:59', '00:00', '07:59', '08:00'].filter((time) =>
      isQuiet(new Date(`2026-12-01T${time}:30Z`), schedule),
    );
    assert.deepEqual(quiet, ['22:00', '23:59', '00:00', '07:59']);
  });

  test('that end when they begin are none', () => {
    const schedule = { ...DEFAULT_SCHEDULE, quietHours: { from: '22:00', until: '22:00' } };
    for (const time of ['21:59', '22:00', '22:01'])
      assert.equal(isQuiet(new Date(`2026-12-01T${time}:00Z`), schedule), false);
  });
});

describe('the digest', () => {
  test('was last due at its time of the day, also before the clock was put forward or back', () => {
    const schedule = berlin({ digestAt: '09:00' });
    // 29 March 2026 and 25 October 2026, at 01:00 UTC.
    assert.equal(lastDigest(new Date('2026-03-29T05:00:00Z'), schedule).toISOString(), '2026-03-28T08:00:00.000Z');
    assert.equal(lastDigest(new Date('2026-03-29T07:00:00Z'), schedule).toISOString(), '2026-03-29T07:00:00.000Z');
    assert.equal(lastDigest(new Date('2026-10-25T05:00:00Z'), schedule).toISOString(), '2026-10-24T07:00:00.000Z');
    assert.equal(lastDigest(new Date('2026-10-25T08:00:00Z'), schedule).toISOString(), '2026-10-25T08:00:00.000Z');
  });

  test('at a time that a day does not have is due once, when the clock is put forward', () => {
    const schedule = berlin({ digestAt: '02:30' });
    const due = new Set<string>();
    for (let minute = 0; minute < 3 * 60; minute += 1)
      due.add(lastDigest(new Date(Date.parse('2026-03-29T00:00:00Z') + minute * 60_000), schedule).toISOString());
    assert.deepEqual([...due], ['2026-03-28T01:30:00.000Z', '2026-03-29T00:30:00.000Z']);
  });

  test('at a time that a day has twice is due once, when the clock is put back', () => {
    for (const digestAt of ['02:00', '02:30', '02:59']) {
      const schedule = berlin({ digestAt });
      const minutes = digestAt.slice(3);
      const due = new Set<string>();
      for (let minute = 0; minute < 4 * 60; minute += 1)
        due.add(lastDigest(new Date(Date.parse('2026-10-24T23:00:00Z') + minute * 60_000), schedule).toISOString());
      assert.deepEqual([...due], [`2026-10-24T00:${minutes}:00.000Z`, `2026-10-25T00:${minutes}:00.000Z`], digestAt);
    }
    // Half an hour is repeated here.
    const lordHowe = { ...DEFAULT_SCHEDULE, timeZone: 'Australia/Lord_Howe', digestAt: '01:45' };
    assert.equal(lastDigest(new Date('2026-04-04T15:20:00Z'), lordHowe).toISOString(), '2026-04-04T14:45:00.000Z');
  });

  test('was last due today, or yesterday if its time is still to come', () => {
    const schedule = berlin({ digestAt: '09:00' });
    assert.equal(lastDigest(new Date('2026-12-01T08:00:00Z'), schedule).toISOString(), '2026-12-01T08:00:00.000Z');
    assert.equal(lastDigest(new Date('2026-12-01T20:15:42Z'), schedule).toISOString(), '2026-12-01T08:00:00.000Z');
    assert.equal(lastDigest(new Date('2026-12-01T07:59:59Z'), schedule).toISOString(), '2026-11-30T08:00:00.000Z');
  });
});

test('time zones have names of the IANA database', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu'])
    assert.equal(isTimeZone(name), true, name);
  for (const name of ['', 'Europe/Nowhere', '+02:00', 'Berlin', '../etc/passwd', 'x'.repeat(64)])
    assert.equal(isTimeZone(name), false, name);
});
