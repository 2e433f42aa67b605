import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import { GaveUpError } from '../src/failures.ts';
import { uploadInSession } from '../src/upload/upload.ts';
import { type Peer, startPeer } from './setup/peer.ts';
import { makeTask } from './setup/task.ts';

const MIB = 1024 * 1024;
/** Two chunks of 16 MiB and one of 1 MiB. */
const SIZE = 33 * MIB;

const startsOf = (peer: Peer) =>
  peer.requests
    .filter(({ kind }) => kind === 'chunk')
    .map(({ range }) => Number(/^bytes (\d+)/.exec(range)?.[1]) / MIB);
const isApiError = (code: number) => (error: unknown) => error instanceof ApiError && error.code === code;

test('chunks are uploaded in order, and the last one completes the file', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  const file = await uploadInSession(task);
  assert.ok(file.file_uid);
  assert.deepEqual(startsOf(peer), [0, 16, 32]);
  assert.ok(peer.files[0]?.equals(task.bytes));
  assert.deepEqual(task.pauses, []);
  const open = Object.fromEntries(peer.requests.find(({ kind }) => kind === 'open')?.fields ?? []);
  assert.deepEqual(open, {
    ...task.fields,
    checksum: task.zip.sha256,
    filename: 'build.zip',
    total_size: String(SIZE),
  });
});

test('an open session of the same zip is resumed', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  const { sha256: checksum } = task.zip;
  peer.sessions.set('other', { checksum: 'f'.repeat(64), size: SIZE, bytes: Buffer.alloc(7) });
  peer.sessions.set('own', { checksum, size: SIZE, bytes: task.bytes.subarray(0, 20 * MIB) });
  const progress: number[] = [];
  await uploadInSession({ ...task, onProgress: (done) => progress.push(done) });
  assert.deepEqual(startsOf(peer), [20]);
  assert.ok(peer.files[0]?.equals(task.bytes));
  assert.ok((progress[0] ?? 0) > 20 * MIB, 'the progress includes bytes that were uploaded earlier');
  assert.match(task.notes[0] ?? '', /Resuming an interrupted upload at 60%/);
});

test('without resume, or if the server cannot list sessions, a new session is opened', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.sessions.set('own', { checksum: task.zip.sha256, size: SIZE, bytes: task.bytes.subarray(0, 20 * MIB) });
  await uploadInSession({ ...task, resume: false });
  assert.equal(peer.requests[0]?.kind, 'open');
  peer.fail('sessions', { status: 404, code: 4040 });
  await uploadInSession(task);
  assert.equal(peer.files.length, 2);
});

test('after 4044 the upload continues at the current_size in the response', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.onRequest = (kind) => {
    const [session] = peer.sessions.values();
    // Before the second chunk, the session loses half of the first one.
    if (kind === 'chunk' && startsOf(peer).length === 2 && session) session.bytes = session.bytes.subarray(0, 8 * MIB);
  };
  await uploadInSession(task);
  assert.deepEqual(startsOf(peer), [0, 16, 8, 24]);
  assert.ok(peer.files[0]?.equals(task.bytes));
});

test('a missing session is replaced at most three times', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  const missing = { status: 404, code: 4045 };
  peer.fail('chunk', missing, missing, missing);
  await uploadInSession(task);
  assert.deepEqual(startsOf(peer), [0, 0, 0, 0, 16, 32]);
  peer.fail('chunk', missing, missing, missing, missing);
  await assert.rejects(uploadInSession(task), isApiError(4045));
});

test('a chunk for a busy session is retried with increasing delays', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  const busy = { status: 409, code: 4047 };
  peer.fail('chunk', busy, busy, busy);
  await uploadInSession(task);
  assert.deepEqual(task.pauses, [500, 1000, 2000]);
  assert.match(task.notes[0] ?? '', /Refused with 4047; retrying in 0\.5 s \(attempt 2 of 6\)\./);
});

test('after a limit, the upload waits as long as the data or the header of the response says', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.fail('open', { status: 429, code: 4291, data: { retry_after: 7 } });
  peer.fail('chunk', { status: 429, code: 4290, header: '90' });
  await uploadInSession(task);
  assert.deepEqual(task.pauses, [7000, 90_000]);
});

test('after a lost connection, only the current chunk is sent again', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.fail('chunk', 'reset', 'lose', 'reset');
  await uploadInSession(task);
  assert.ok(peer.files[0]?.equals(task.bytes));
  // The second attempt arrived but its response was lost, so the third gets 4044 and the upload continues after the
  // chunk.
  assert.deepEqual(startsOf(peer), [0, 0, 16, 32]);
});

test('if the response to the last chunk is lost, sending the chunk again returns the file', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  let count = 0;
  peer.onRequest = (kind) => {
    if (kind === 'chunk' && ++count === 2) peer.fail('chunk', 'lose');
  };
  const file = await uploadInSession(task);
  assert.ok(file.file_uid);
  assert.deepEqual(startsOf(peer), [0, 16, 32, 32]);
  assert.equal(peer.files.length, 1);
});

test('a session that has all bytes but is not completed gets its last chunk again', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  const { sha256: checksum } = task.zip;
  peer.sessions.set('own', { checksum, size: SIZE, bytes: task.bytes, file_uid: 'the-file' });
  assert.equal((await uploadInSession(task)).file_uid, 'the-file');
  assert.deepEqual(startsOf(peer), [32]);
});

test('a wrong checksum and a missing permission fail immediately', async (t) => {
  for (const [status, code] of [
    [400, 4046],
    [403, 4096],
    [401, 4023],
  ] as const) {
    const peer = await startPeer(t);
    const task = makeTask(t, peer, SIZE);
    peer.fail('chunk', { status, code });
    await assert.rejects(uploadInSession(task), isApiError(code));
    assert.deepEqual([startsOf(peer), task.pauses], [[0], []]);
  }
});

test('six failures in a row without progress end the upload, with a note on how to continue', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.fail('chunk', ...(Array(6).fill('reset') as 'reset'[]));
  await assert.rejects(
    uploadInSession(task),
    (error) => error instanceof GaveUpError && error.cause instanceof NetworkError,
  );
  assert.equal(task.pauses.length, 5);
  assert.match(task.notes.at(-1) ?? '', /run the same command again before 2030-/);
});

test('failures with progress in between do not end the upload', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  let chunks = 0;
  peer.onRequest = (kind) => {
    if (kind !== 'chunk' || ++chunks > 2) return;
    peer.fail('chunk', 'reset', 'reset', 'reset', 'reset', 'reset');
  };
  await uploadInSession(task);
  assert.deepEqual(startsOf(peer), [0, 16, 32]);
  assert.equal(task.pauses.length, 10);
});

test('the upload ends if the server never makes progress with the session', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.onRequest = (kind) => {
    const [session] = peer.sessions.values();
    if (kind === 'chunk' && session) session.bytes = Buffer.alloc(startsOf(peer).length);
  };
  await assert.rejects(uploadInSession(task), GaveUpError);
});

test('aborting ends the upload with its reason', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, SIZE);
  peer.onRequest = (kind) => {
    if (kind === 'chunk') task.stop.abort(new Error('enough'));
  };
  await assert.rejects(uploadInSession(task), /enough/);
  assert.match(task.notes.at(-1) ?? '', /run the same command again/);
});
