import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../../kernel/clock.ts';
import { absentUntil, isWorthLookup, nextTry, pausedUntil } from './schedule.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const sinceNow = (time: Date | null) => (time === null ? null : time.getTime() - NOW.getTime());
const SOURCES = ['breakpad+https://symbols.example.com/'];
type Known = Parameters<typeof isWorthLookup>[0];
const absent: Known = { state: 'absent', asked: SOURCES, due_at: new Date(NOW.getTime() + HOUR), symbol_id: null };

test('what no source has is looked up again when it is due, or when a source was added', () => {
  assert.equal(isWorthLookup(absent, SOURCES, NOW), false);
  assert.equal(isWorthLookup({ ...absent, due_at: NOW }, SOURCES, NOW), true);
  assert.equal(isWorthLookup(absent, [...SOURCES, 'breakpad+https://b/'], NOW), true);
});

test('what waits or was found is not looked up again, unless its symbols were deleted', () => {
  const found: Known = { ...absent, asked: [], state: 'found' };
  assert.equal(isWorthLookup({ ...found, state: 'waiting' }, SOURCES, NOW), false);
  assert.equal(isWorthLookup({ ...found, symbol_id: 'a' }, SOURCES, NOW), false);
  assert.equal(isWorthLookup(found, SOURCES, NOW), true);
});

test('an absence lasts a day, then twice as long each time, up to a month', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 60].map((absences) => sinceNow(absentUntil(absences, NOW))),
    [DAY, 2 * DAY, 4 * DAY, 32 * DAY, 32 * DAY],
  );
});

test('a failure is tried again after a minute, then later each time, for three days', () => {
  const after = (tries: number, waited: number) =>
    sinceNow(nextTry({ tries, waitingSince: new Date(NOW.getTime() - waited), now: NOW }));
  assert.deepEqual([after(1, 0), after(2, HOUR), after(9, DAY)], [MINUTE, 4 * MINUTE, 6 * HOUR]);
  assert.equal(after(9, 3 * DAY + 1), null);
});

test('a source that fails again and again is left alone, or as long as it asks, up to an hour', () => {
  const pause = (failures: number, retryAfterMs?: number) => sinceNow(pausedUntil({ failures, retryAfterMs }, NOW));
  assert.deepEqual([pause(1), pause(2), pause(3), pause(4)], [null, null, MINUTE, 2 * MINUTE]);
  assert.deepEqual([pause(99), pause(1, 5 * MINUTE), pause(1, 9 * DAY)], [HOUR, 5 * MINUTE, HOUR]);
});
