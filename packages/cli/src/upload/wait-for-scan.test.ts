import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Peer, startPeer } from '../../test/setup/peer.ts';
import { makeTask } from '../../test/setup/task.ts';
import { ScanError } from '../failures.ts';
import { waitForScan } from './wait-for-scan.ts';

function start(t: TestContext, peer: Peer, minutes: number) {
  const task = makeTask(t, peer, 1);
  const file = { file_uid: '01900000-0000-7000-8000-000000000003' };
  return { pauses: task.pauses, result: waitForScan(task.client, file, minutes, task) };
}

test('the state of the scan is requested at increasing intervals until the file is clean', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [...Array(8).fill({ status: 'pending' }), { status: 'scanning' }, { status: 'clean' }];
  const { result, pauses } = start(t, peer, 30);
  assert.equal((await result).status, 'clean');
  assert.deepEqual([pauses[0], pauses[1], pauses.at(-1)], [500, 750, 5000]);
});

test('a file that was not scanned is accepted', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'unscanned' }];
  assert.equal((await start(t, peer, 1).result).status, 'unscanned');
});

test('a file that could not be scanned fails with the reason', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'error', detail: 'a wrong size' }];
  await assert.rejects(start(t, peer, 1).result, { name: 'ScanError', outcome: 'rejected', message: /a wrong size/ });
});

test('waiting for a scan ends after the given number of minutes', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'scanning' }];
  const { result, pauses } = start(t, peer, 1);
  await assert.rejects(result, (error) => error instanceof ScanError && error.outcome === 'pending');
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waited >= 60_000 && waited < 70_000);
});
