import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import { GaveUpError } from './failures.ts';
import { currentSizeOf, delayOf, isPassing, persist, REAL_WAITING } from './retry.ts';

function patience(tries: number) {
  const pauses: number[] = [];
  const notes: string[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  const options = {
    waiting: { pause, random: () => 0 },
    signal: new AbortController().signal,
    note: (line: string) => notes.push(line),
    tries,
  };
  return { options, pauses, notes };
}

test('delays double up to half a minute, at least half of each certain', () => {
  assert.deepEqual(
    [1, 2, 3].map((n) => delayOf(n, 1)),
    [500, 1000, 2000],
  );
  assert.deepEqual(
    [1, 2, 3].map((n) => delayOf(n, 0)),
    [250, 500, 1000],
  );
  assert.equal(delayOf(50, 1), 30_000);
});

test('what passes by itself is told from what does not', () => {
  const passing = [
    new NetworkError('x'),
    new ApiError(4047),
    new ApiError(4290),
    new ApiError(4291),
    new ApiError(5030),
    new ApiError(4048),
  ];
  for (const error of passing) assert.ok(isPassing(error), error.message);
  assert.ok(isPassing(new ApiError(4044, 'x', { data: { current_size: 5 } })));
  for (const code of [4044, 4046, 4045, 4096, 4023] as const) assert.ok(!isPassing(new ApiError(code)), String(code));
  assert.ok(!isPassing(new Error('x')));
});

test('a current_size that is no size is not believed', () => {
  for (const size of [-1, 1.5, '7', null]) {
    assert.equal(currentSizeOf(new ApiError(4044, 'x', { data: { current_size: size } })), null);
  }
  assert.equal(currentSizeOf(new ApiError(4044, 'x', { data: { current_size: 0 } })), 0);
});

test('a passing failure is tried again, with a note, until tries run out', async () => {
  const { options, pauses, notes } = patience(3);
  let calls = 0;
  const attempt = async () => {
    calls += 1;
    throw new NetworkError('connection reset');
  };
  await assert.rejects(
    persist(options, attempt),
    (error) => error instanceof GaveUpError && /3 tries: connection reset/.test(error.message),
  );
  assert.deepEqual([calls, pauses], [3, [250, 500]]);
  assert.match(notes[1] ?? '', /connection reset; trying again \(3 of 3\) in 0\.5 s\./);
});

test('a limit that lifts in an hour is told at once', async () => {
  const { options, pauses } = patience(3);
  const limit = new ApiError(4290, 'x', { data: { retry_after: 3600 } });
  await assert.rejects(
    persist(options, () => Promise.reject(limit)),
    limit,
  );
  assert.deepEqual(pauses, []);
});

test('a real pause ends at once, with the reason, when it is aborted', async () => {
  const stop = new AbortController();
  const paused = REAL_WAITING.pause(3_600_000, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(paused, /enough/);
});
