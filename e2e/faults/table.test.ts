// Every fault happens under load, at a random moment. Then everything that was acknowledged must be stored once, and
// the service must serve all its clients again. CHAUFFEUR_TEST_FAULTS_MINUTES repeats the faults for that long.
import assert from 'node:assert/strict';
import { hash, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../packages/server/test/setup/until.ts';
import { sha256 } from '../../packages/server/test/setup/uploads.ts';
import { type FaultSite, NO_FAULT_SITE, startFaultSite } from '../setup/fault-site.ts';
import { FAULTS, type Fault, type Random } from '../setup/faults.ts';
import { EVENTS_PER_BATCH, reportPatiently, type Shipped, sendEvents, shipPatiently } from '../setup/patient-load.ts';

const MINUTES = Number(process.env.CHAUFFEUR_TEST_FAULTS_MINUTES ?? 0);
const SEED = Number(process.env.CHAUFFEUR_TEST_FAULTS_SEED ?? randomInt(2 ** 31));
const PAUSE_MS = 100;
/** The limit of work that goes on after the last acknowledgement, such as reading dumps. */
const SETTLE_MS = 60_000;
/** An upload that S3 was completing when its connection became half-open goes on after two minutes. */
const PATIENCE_MS = 150_000;

type Stored = { events: number; crashes: number; uploads: number };
type Line = { times: number; acknowledged: number; lost: number; twice: number; slowestMs: number };

describe('faults under load', { timeout: (MINUTES + 10) * 60_000 }, () => {
  let site: FaultSite | null;
  /** What was acknowledged, and what more or less than that was stored. */
  const acknowledged: Stored = { events: 0, crashes: 0, uploads: 0 };
  const differences: Stored = { events: 0, crashes: 0, uploads: 0 };
  const lines = new Map<string, Line>();
  const random = createRandom(SEED);
  let previous: Fault | undefined;
  before(async () => {
    process.stdout.write(`CHAUFFEUR_TEST_FAULTS_SEED=${SEED}\n`);
    site = await startFaultSite(MINUTES);
  });
  after(async () => {
    process.stdout.write(formatTable(lines));
    await site?.stop();
  });

  async function cause(site: FaultSite, fault: Fault): Promise<Line> {
    const shipped: Shipped[] = [];
    // A clock that was ahead during the fault before may still be expiring sessions.
    const mayExpire = [previous, fault].some((each) => each?.expiresSessions === true);
    previous = fault;
    const load = startLoad(site, mayExpire, acknowledged, shipped);
    const before = { ...acknowledged };
    let more = { acknowledged: 0, stored: 0 };
    let slowestMs = 0;
    try {
      await load.rounds();
      await wait(random() * 1000);
      more = (await fault.run(site, random)) ?? more;
      const end = performance.now();
      await load.rounds();
      slowestMs = performance.now() - end;
    } finally {
      await load.stop();
    }
    site.assertRunning();
    const found = await settle(site, acknowledged, differences);
    const sound = await Promise.all(shipped.map((build) => isSound(site, build)));
    const line = {
      times: 1,
      acknowledged: sum(acknowledged) - sum(before) + more.acknowledged,
      lost: sound.filter((each) => !each).length + Math.max(0, more.acknowledged - more.stored),
      twice: Math.max(0, more.stored - more.acknowledged),
      slowestMs,
    };
    for (const kind of ['events', 'crashes', 'uploads'] as const) {
      const difference = found[kind] - acknowledged[kind] - differences[kind];
      differences[kind] += difference;
      if (difference < 0) line.lost -= difference;
      else line.twice += difference;
    }
    return line;
  }

  async function run(fault: Fault): Promise<Line> {
    const line = await cause(site as FaultSite, fault);
    const earlier = lines.get(fault.name) ?? { times: 0, acknowledged: 0, lost: 0, twice: 0, slowestMs: 0 };
    lines.set(fault.name, {
      times: earlier.times + 1,
      acknowledged: earlier.acknowledged + line.acknowledged,
      lost: earlier.lost + line.lost,
      twice: earlier.twice + line.twice,
      slowestMs: Math.max(earlier.slowestMs, line.slowestMs),
    });
    return line;
  }

  for (const fault of FAULTS) {
    test(`${fault.name}: nothing acknowledged is lost or counted twice`, async (t) => {
      if (site === null) return t.skip(NO_FAULT_SITE);
      const missing = fault.missing?.(site) ?? null;
      if (missing !== null) return t.skip(`skipped: ${missing} not found`);
      const { lost, twice } = await run(fault);
      assert.deepEqual({ lost, twice }, { lost: 0, twice: 0 });
    });
  }

  if (MINUTES > 0) {
    test(`the faults in random order for ${MINUTES} minutes`, async (t) => {
      if (site === null) return t.skip(NO_FAULT_SITE);
      const possible = FAULTS.filter(({ missing }) => (missing?.(site as FaultSite) ?? null) === null);
      const deadline = performance.now() + MINUTES * 60_000;
      const failures: string[] = [];
      while (performance.now() < deadline) {
        const fault = possible[Math.floor(random() * possible.length)]!;
        const { lost, twice } = await run(fault).catch((cause) => {
          throw new Error(`${fault.name}:\n${site?.unexpected()}${site?.output().slice(-4000)}`, { cause });
        });
        if (lost > 0 || twice > 0) failures.push(`${fault.name}: ${lost} lost, ${twice} twice`);
      }
      assert.deepEqual(failures, []);
    });
  }

  test('every file is scanned in the end', async (t) => {
    if (site === null) return t.skip(NO_FAULT_SITE);
    const { postgres } = site;
    const readStates = () =>
      postgres.query<{ scan_state: string; count: string }>('select scan_state, count(*) from files group by 1');
    let states = await readStates();
    const deadline = performance.now() + 3 * SETTLE_MS;
    while (states.some(({ scan_state }) => /pending|scanning/.test(scan_state)) && performance.now() < deadline) {
      await wait(500);
      states = await readStates();
    }
    assert.ok(
      states.every(({ scan_state }) => /^(clean|unscanned)$/.test(scan_state)),
      JSON.stringify(states),
    );
  });
});

/** Clients that go on until they are stopped. */
function startLoad(site: FaultSite, mayExpire: boolean, acknowledged: Stored, shipped: Shipped[]) {
  const target = { gameUid: site.studio.gameUid, buildId: site.buildId };
  let turn = 0;
  const next = () => site.apis[turn++ % site.apis.length]!;
  const ending = new AbortController();
  const sender = async () => {
    await sendEvents(next, target);
    acknowledged.events += EVENTS_PER_BATCH;
  };
  const clients = [
    ...[sender, sender, sender],
    async () => {
      await reportPatiently(next, target);
      acknowledged.crashes += 1;
    },
    async () => {
      shipped.push(await shipPatiently(next, site.studio, mayExpire));
      acknowledged.uploads += 1;
    },
  ].map((work) => ({ rounds: 0, work }));
  const running = Promise.all(
    clients.map(async (client) => {
      while (!ending.signal.aborted) {
        await client.work();
        client.rounds += 1;
        await wait(PAUSE_MS);
      }
    }),
  );
  running.catch(() => ending.abort());
  return {
    /** Resolves when each client has ended the round that it is in. */
    async rounds() {
      const goals = clients.map(({ rounds }) => rounds + 1);
      const problem = () => `not served again within ${PATIENCE_MS / 1000} s:\n${site.output().slice(-4000)}`;
      await Promise.race([
        until(async () => clients.every(({ rounds }, no) => rounds >= goals[no]!), problem, PATIENCE_MS),
        running,
      ]);
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** Waits until what is stored no longer changes and isn't less than expected, and returns it. */
async function settle({ postgres, studio }: FaultSite, acknowledged: Stored, differences: Stored): Promise<Stored> {
  const game = `game_id = '${studio.gameUid}'`;
  const read = async (): Promise<Stored> => {
    const [row] = await postgres.query<Record<keyof Stored | 'grouped' | 'raw', string>>(`select
      (select coalesce(sum(count), 0) from event_hours where ${game} and name = 'boot_ok') as events,
      (select count(*) from events where ${game} and name = 'boot_ok') as raw,
      (select count(*) from crash_reports where ${game}) as crashes,
      (select count(*) from crash_reports where ${game} and group_id is not null) as grouped,
      (select count(*) - 1 from files where ${game}) as uploads`);
    const count = (name: keyof Stored | 'grouped' | 'raw') => Number(row?.[name]);
    // Events are counted with their hour and stored on their own. Both must be right.
    const events = count('raw') === count('events') ? count('events') : Math.min(count('raw'), count('events'));
    return { events, crashes: Math.min(count('crashes'), count('grouped')), uploads: count('uploads') };
  };
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const stored = await read();
    const isComplete = (['events', 'crashes', 'uploads'] as const).every(
      (kind) => stored[kind] >= acknowledged[kind] + differences[kind],
    );
    if (isComplete || performance.now() > deadline) return stored;
    await wait(100);
  }
}

/** Whether the build has one file, with the bytes that were sent. */
async function isSound({ postgres, bucket, studio }: FaultSite, { version, checksum }: Shipped): Promise<boolean> {
  const files = await postgres.query<{ checksum: string; blob_key: string }>(
    `select checksum, blob_key from files join builds using (game_id, build_id)
      where game_id = '${studio.gameUid}' and version = '${version}'`,
  );
  const [file] = files;
  if (file === undefined || files.length > 1 || file.checksum !== checksum) return false;
  return sha256(await readFile(join(bucket, file.blob_key)).catch(() => Buffer.alloc(0))) === checksum;
}

function sum({ events, crashes, uploads }: Stored): number {
  return events + crashes + uploads;
}

/** The same numbers, from 0 to 1, for the same seed. */
function createRandom(seed: number): Random {
  let count = 0;
  return () => {
    count += 1;
    return hash('sha256', `${seed}/${count}`, 'buffer').readUInt32BE() / 2 ** 32;
  };
}

function formatTable(lines: ReadonlyMap<string, Line>): string {
  const rows = [...lines].map(
    ([name, { times, acknowledged, lost, twice, slowestMs }]) =>
      `| ${name} | ${times} | ${acknowledged} | ${lost} | ${twice} | ${(slowestMs / 1000).toFixed(1)} s |`,
  );
  const head = ['| Fault | Times | Acknowledged | Lost | Twice | Served again within |', '|---|---|---|---|---|---|'];
  return ['', ...head, ...rows, ''].join('\n');
}
