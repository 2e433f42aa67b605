// Repeatedly kills the server while events arrive: every accepted event is stored, and repeated ones count once.
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { register } from '../../packages/server/test/setup/uploads.ts';
import { type Served, serveStudio } from '../setup/served.ts';

const SENDERS = 6;
const KILLS = 2;
const EVENTS = 7;

// The test sends more than the limit for one address.
const SETTINGS = { CHAUFFEUR_LIMIT_PUBLIC: '0' };

describe('events while the server is killed', () => {
  const served = serveStudio({ settings: SETTINGS });
  let buildId: string;
  before(async () => {
    buildId = await register(served.service, served.studio);
  });

  test('are all stored, once for each id, and so are their devices', async () => {
    const sent: Sent = { accepted: 0, tried: 0, devices: new Set() };
    const ending = new AbortController();
    const senders = Array.from({ length: SENDERS }, () => sendOn(served, buildId, sent, ending.signal));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = sent.accepted + randomInt(50, 300);
      while (sent.accepted < enough) await wait(1);
      await served.service.kill();
      await served.restart();
    }
    ending.abort();
    await Promise.all(senders);
    const headers = served.studio.session;
    const read = async (path: string) => {
      const response = await fetch(`${served.service.api}/games/${served.studio.gameUid}/${path}`, { headers });
      assert.equal(response.status, 200);
      return ((await response.json()) as { data: never }).data;
    };
    const { names } = (await read('events/names')) as { names: { name: string; count: number }[] };
    const countOf = (wanted: string) => names.find(({ name }) => name === wanted)?.count ?? 0;
    assert.equal(countOf('boot_ok'), sent.accepted * EVENTS);
    const plain = countOf('without an id');
    assert.ok(plain >= sent.accepted && plain <= sent.tried, `${sent.accepted} <= ${plain} <= ${sent.tried}`);
    const health = (await read(`builds/${buildId}/health`)) as {
      devices: number;
      booted: number;
      boot_ms: { samples: number };
    };
    assert.deepEqual(
      [health.devices, health.booted, health.boot_ms.samples],
      [sent.devices.size, sent.devices.size, sent.accepted * EVENTS],
    );
  });
});

type Sent = {
  /** Accepted requests. */
  accepted: number;
  /** How often requests were sent. */
  tried: number;
  readonly devices: Set<string>;
};

/** Sends requests one after another, each until it is accepted, like a client with a queue. */
async function sendOn(served: Served, buildId: string, sent: Sent, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const device_uid = randomUUID();
    const boots = Array.from({ length: EVENTS }, () => ({
      event: 'boot_ok',
      device_uid,
      ms: 900,
      event_id: randomUUID(),
    }));
    const body = JSON.stringify({ events: [...boots, { event: 'without an id' }] });
    sent.devices.add(device_uid);
    while (!(await isTaken(served, buildId, body, sent))) await wait(20);
    sent.accepted += 1;
  }
}

async function isTaken({ service, studio }: Served, buildId: string, body: string, sent: Sent): Promise<boolean> {
  sent.tried += 1;
  try {
    const response = await fetch(`${service.api}/public/events?app_id=${studio.gameUid}&build_id=${buildId}`, {
      method: 'POST',
      body,
    });
    await response.arrayBuffer();
    return response.status === 202;
  } catch {
    // The server is being killed or started.
    return false;
  }
}
