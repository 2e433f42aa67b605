import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import { type Peer, startPeer } from '../../test/setup/peer.ts';
import { trialOf } from '../../test/setup/task.ts';
import { GaveUpError } from '../failures.ts';
import { uploadInSession } from './session.ts';

const MIB = 1024 * 1024;
const SIZE = 33 * MIB; // two chunks of 16 MiB and one of 1

const startsOf = (peer: Peer) =>
  peer.seen.filter(({ kind }) => kind === 'chunk').map(({ range }) => Number(/^bytes (\d+)/.exec(range)?.[1]) / MIB);
const isApiError = (code: number) => (error: unknown) => error instanceof ApiError && error.code === code;

test('chunks go up in order, and the last one completes the file', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  const file = await uploadInSession(trial);
  assert.ok(file.file_uid);
  assert.deepEqual(startsOf(peer), [0, 16, 32]);
  assert.ok(peer.files[0]?.equals(trial.bytes));
  assert.deepEqual(trial.pauses, []);
  const open = Object.fromEntries(peer.seen.find(({ kind }) => kind === 'open')?.fields ?? []);
  assert.deepEqual(open, {
    ...trial.fields,
    checksum: trial.zip.sha256,
    filename: 'build.zip',
    total_size: String(SIZE),
  });
});

test('an open session of the same zip is resumed', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  const { sha256: checksum } = trial.zip;
  peer.sessions.set('other', { checksum: 'f'.repeat(64), size: SIZE, bytes: Buffer.alloc(7) });
  peer.sessions.set('mine', { checksum, size: SIZE, bytes: trial.bytes.subarray(0, 20 * MIB) });
  const seen: number[] = [];
  await uploadInSession({ ...trial, onProgress: (done) => seen.push(done) });
  assert.deepEqual(startsOf(peer), [20]);
  assert.ok(peer.files[0]?.equals(trial.bytes));
  assert.ok((seen[0] ?? 0) > 20 * MIB, 'progress counts what the server had');
  assert.match(trial.notes[0] ?? '', /Resuming an interrupted upload at 60%/);
});

test('without resume, and on a server that lists no sessions, a new one is opened', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.sessions.set('mine', { checksum: trial.zip.sha256, size: SIZE, bytes: trial.bytes.subarray(0, 20 * MIB) });
  await uploadInSession({ ...trial, resume: false });
  assert.equal(peer.seen[0]?.kind, 'open');
  peer.fail('sessions', { status: 404, code: 4040 });
  await uploadInSession(trial);
  assert.equal(peer.files.length, 2);
});

test('after 4044 the upload goes on at the current_size of the answer', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.onSeen = (kind) => {
    const [session] = peer.sessions.values();
    // The second chunk meets a session that lost half of the first.
    if (kind === 'chunk' && startsOf(peer).length === 2 && session) session.bytes = session.bytes.subarray(0, 8 * MIB);
  };
  await uploadInSession(trial);
  assert.deepEqual(startsOf(peer), [0, 16, 8, 24]);
  assert.ok(peer.files[0]?.equals(trial.bytes));
});

test('a session that is gone is replaced, three times at most', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  const gone = { status: 404, code: 4045 };
  peer.fail('chunk', gone, gone, gone);
  await uploadInSession(trial);
  assert.deepEqual(startsOf(peer), [0, 0, 0, 0, 16, 32]);
  peer.fail('chunk', gone, gone, gone, gone);
  await assert.rejects(uploadInSession(trial), isApiError(4045));
});

test('a busy session is waited for, longer each time', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  const busy = { status: 409, code: 4047 };
  peer.fail('chunk', busy, busy, busy);
  await uploadInSession(trial);
  assert.deepEqual(trial.pauses, [500, 1000, 2000]);
  assert.match(trial.notes[0] ?? '', /Refused with 4047; retrying in 0\.5 s \(attempt 2 of 6\)\./);
});

test('a limit is waited for as long as the answer says, in its data or its header', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.fail('open', { status: 429, code: 4291, data: { retry_after: 7 } });
  peer.fail('chunk', { status: 429, code: 4290, header: '90' });
  await uploadInSession(trial);
  assert.deepEqual(trial.pauses, [7000, 90_000]);
});

test('a connection that dies within a chunk costs that chunk only', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.fail('chunk', 'reset', 'lose', 'reset');
  await uploadInSession(trial);
  assert.ok(peer.files[0]?.equals(trial.bytes));
  // The second try arrived, only its answer did not: the server says 4044, and the upload goes on behind it.
  assert.deepEqual(startsOf(peer), [0, 0, 16, 32]);
});

test('when the answer to the last chunk is lost, sending that chunk again gives the file', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  let count = 0;
  peer.onSeen = (kind) => {
    if (kind === 'chunk' && ++count === 2) peer.fail('chunk', 'lose');
  };
  const file = await uploadInSession(trial);
  assert.ok(file.file_uid);
  assert.deepEqual(startsOf(peer), [0, 16, 32, 32]);
  assert.equal(peer.files.length, 1);
});

test('a session that holds every byte but was not completed gets its last chunk again', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  const { sha256: checksum } = trial.zip;
  peer.sessions.set('mine', { checksum, size: SIZE, bytes: trial.bytes, file_uid: 'the-file' });
  assert.equal((await uploadInSession(trial)).file_uid, 'the-file');
  assert.deepEqual(startsOf(peer), [32]);
});

test('a wrong checksum and a missing permission stop at once', async (t) => {
  for (const [status, code] of [
    [400, 4046],
    [403, 4096],
    [401, 4023],
  ] as const) {
    const peer = await startPeer(t);
    const trial = trialOf(t, peer, SIZE);
    peer.fail('chunk', { status, code });
    await assert.rejects(uploadInSession(trial), isApiError(code));
    assert.deepEqual([startsOf(peer), trial.pauses], [[0], []]);
  }
});

test('six failures in a row without progress end it, and it says how to go on', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.fail('chunk', ...(Array(6).fill('reset') as 'reset'[]));
  await assert.rejects(
    uploadInSession(trial),
    (error) => error instanceof GaveUpError && error.cause instanceof NetworkError,
  );
  assert.equal(trial.pauses.length, 5);
  assert.match(trial.notes.at(-1) ?? '', /run the same command again before 2030-/);
});

test('failures between which bytes arrive never end it', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  let chunks = 0;
  peer.onSeen = (kind) => {
    if (kind !== 'chunk' || ++chunks > 2) return;
    peer.fail('chunk', 'reset', 'reset', 'reset', 'reset', 'reset');
  };
  await uploadInSession(trial);
  assert.deepEqual(startsOf(peer), [0, 16, 32]);
  assert.equal(trial.pauses.length, 10);
});

test('a server that never gets on with a session does not hold the client forever', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.onSeen = (kind) => {
    const [session] = peer.sessions.values();
    if (kind === 'chunk' && session) session.bytes = Buffer.alloc(startsOf(peer).length);
  };
  await assert.rejects(uploadInSession(trial), GaveUpError);
});

test('aborting ends the upload with its reason', async (t) => {
  const peer = await startPeer(t);
  const trial = trialOf(t, peer, SIZE);
  peer.onSeen = (kind) => {
    if (kind === 'chunk') trial.stop.abort(new Error('enough'));
  };
  await assert.rejects(uploadInSession(trial), /enough/);
  assert.match(trial.notes.at(-1) ?? '', /run the same command again/);
});
