import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Peer, startPeer } from '../../test/setup/peer.ts';
import { trialOf } from '../../test/setup/task.ts';
import { ScanError } from '../failures.ts';
import { waitForScan } from './wait-for-scan.ts';

function start(t: TestContext, peer: Peer, minutes: number) {
  const trial = trialOf(t, peer, 1);
  const file = { file_uid: '01900000-0000-7000-8000-000000000003' };
  return { pauses: trial.pauses, ended: waitForScan(trial.client, file, minutes, trial) };
}

test('the scan is asked for more and more seldom, until the file is clean', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [...Array(8).fill({ status: 'pending' }), { status: 'scanning' }, { status: 'clean' }];
  const { ended, pauses } = start(t, peer, 30);
  assert.equal((await ended).status, 'clean');
  assert.deepEqual([pauses[0], pauses[1], pauses.at(-1)], [500, 750, 5000]);
});

test('a file that no scanner looked at counts as served', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'unscanned' }];
  assert.equal((await start(t, peer, 1).ended).status, 'unscanned');
});

test('a file that could not be scanned is a failure with the reason', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'error', detail: 'a lying size' }];
  await assert.rejects(start(t, peer, 1).ended, { name: 'ScanError', outcome: 'rejected', message: /a lying size/ });
});

test('a scan that never ends is waited for as long as asked', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'scanning' }];
  const { ended, pauses } = start(t, peer, 1);
  await assert.rejects(ended, (error) => error instanceof ScanError && error.outcome === 'pending');
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waited >= 60_000 && waited < 70_000);
});
