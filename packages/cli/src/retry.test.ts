import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '@chauffeur/contract/client';
import { errors } from '@chauffeur/contract/errors';
import { GaveUpError } from './failures.ts';
import { delayOf, isRetryable, REAL_WAITING, readCurrentSize, retry } from './retry.ts';

function makeOptions(tries: number) {
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

test('delays double up to 30 seconds, and half of each is random', () => {
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

test('transient failures are retryable, permanent ones are not', () => {
  const transient = [
    new NetworkError('x'),
    errors.chunkUnderWay(),
    errors.limitReached(),
    errors.tooManySessions(),
    errors.unavailable(),
    errors.fileNotSaved(),
  ];
  for (const error of transient) assert.ok(isRetryable(error), error.message);
  assert.ok(isRetryable(errors.invalidChunk('x', { data: { current_size: 5 } })));
  for (const name of ['invalidChunk', 'wrongChecksum', 'unknownSession', 'ownerNotVerified', 'revokedKey'] as const)
    assert.ok(!isRetryable(errors[name]()), name);
  assert.ok(!isRetryable(new Error('x')));
});

test('an invalid current_size is ignored', () => {
  for (const size of [-1, 1.5, '7', null]) {
    assert.equal(readCurrentSize(errors.invalidChunk('x', { data: { current_size: size } })), null);
  }
  assert.equal(readCurrentSize(errors.invalidChunk('x', { data: { current_size: 0 } })), 0);
});

test('a transient failure is retried, with a note, until the last attempt', async () => {
  const { options, pauses, notes } = makeOptions(3);
  let calls = 0;
  const attempt = async () => {
    calls += 1;
    throw new NetworkError('connection reset');
  };
  await assert.rejects(
    retry(options, attempt),
    (error) => error instanceof GaveUpError && /3 attempts: connection reset/.test(error.message),
  );
  assert.deepEqual([calls, pauses], [3, [250, 500]]);
  assert.match(notes[1] ?? '', /connection reset; retrying in 0\.5 s \(attempt 3 of 3\)\./);
});

test('a limit that resets in an hour is reported immediately', async () => {
  const { options, pauses } = makeOptions(3);
  const limit = errors.limitReached('x', { data: { retry_after: 3600 } });
  await assert.rejects(
    retry(options, () => Promise.reject(limit)),
    limit,
  );
  assert.deepEqual(pauses, []);
});

test('an aborted pause ends immediately with the reason', async () => {
  const stop = new AbortController();
  const paused = REAL_WAITING.pause(3_600_000, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(paused, /enough/);
});
