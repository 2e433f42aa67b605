import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPeer } from '../../test/setup/peer.ts';
import { makeTask } from '../../test/setup/task.ts';
import { GaveUpError } from '../failures.ts';
import { uploadZip } from './upload.ts';

const MIB = 1024 * 1024;

test('up to 64 MiB are uploaded in one request, with the fields before the file', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, 64 * MIB);
  const progress: number[] = [];
  const file = await uploadZip({ ...task, onProgress: (done) => progress.push(done) });
  assert.equal(file.checksum, task.zip.sha256);
  assert.deepEqual(
    peer.requests.map(({ kind, fields }) => [kind, fields.map(([name]) => name)]),
    [['single', ['build_id', 'os', 'arch', 'channel', 'checksum', 'file']]],
  );
  assert.ok(peer.files[0]?.equals(task.bytes));
  assert.ok(progress.length > 100, 'reported in small steps');
  assert.equal(progress.at(-1), 64 * MIB);
});

test('larger files are uploaded in chunks', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, 64 * MIB + 1);
  await uploadZip(task);
  assert.deepEqual(
    peer.requests.map(({ kind }) => kind),
    ['sessions', 'open', 'chunk', 'chunk', 'chunk', 'chunk', 'chunk'],
  );
  assert.equal(peer.requests.at(-1)?.range, `bytes ${64 * MIB}-${64 * MIB}/${64 * MIB + 1}`);
  assert.ok(peer.files[0]?.equals(task.bytes));
});

test('a single upload is sent again if the connection is lost or the server fails', async (t) => {
  const peer = await startPeer(t);
  const task = makeTask(t, peer, 3 * MIB);
  peer.fail('single', 'reset', { status: 500, code: 4048 }, { status: 502, code: 5020 });
  await uploadZip(task);
  assert.ok(peer.files[0]?.equals(task.bytes));
  assert.deepEqual(task.pauses, [500, 1000, 2000]);
});

test('a single upload fails after six attempts', async (t) => {
  const peer = await startPeer(t);
  peer.fail('single', ...(Array(6).fill('reset') as 'reset'[]));
  await assert.rejects(uploadZip(makeTask(t, peer, MIB)), GaveUpError);
});

test('a rejection while the body is being sent is reported as such, not as a lost connection', async (t) => {
  const peer = await startPeer(t);
  peer.fail('single', { status: 403, code: 4096 });
  await assert.rejects(uploadZip(makeTask(t, peer, 8 * MIB)), /Refused with 4096/);
});
