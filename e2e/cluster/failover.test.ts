// The primary PostgreSQL is killed under load, and its synchronous standby takes over: the service connects to it by
// itself, and everything that was acknowledged is there, exactly once.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { shipAndScan, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { EVENTS_PER_BATCH, reportPatiently, sendEvents, shipPatiently } from '../setup/patient-load.ts';
import { NO_PAIR, type PostgresPair, startPostgresPair } from '../setup/postgres-pair.ts';
import { makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudio, type Studio, startBrowserSession } from '../setup/studio.ts';

const SENDERS = 3;
/** Acknowledged by each sender before the primary is killed, and after the standby has taken over. */
const ENOUGH = 15;

describe('a standby that takes over', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let pair: PostgresPair | null;
  let services: ServiceProcess[] = [];
  let studio: Studio;
  let buildId: string;
  before(async () => {
    work = await makeFolder();
    pair = await startPostgresPair();
    if (pair === null) return;
    const settings = { DATABASE_URL: pair.url, CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' };
    const folder = join(work.path, 'data');
    services = [await startService(folder, settings), await startService(folder, settings)];
    const [service] = services as [ServiceProcess];
    studio = await openStudio(service);
    ({ buildId } = await shipAndScan(
      service,
      studio,
      { version: '1.0.0', os: 'linux', arch: 'x86_64' },
      zipOfSize(1000),
    ));
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await pair?.stop();
    await work?.remove();
  });

  test('loses nothing that was acknowledged, and counts nothing twice', async (t) => {
    if (pair === null) return t.skip(NO_PAIR);
    const ending = new AbortController();
    const done = { events: 0, crashes: 0, builds: new Map<string, string>() };
    let turn = 0;
    const next = () => services[turn++ % services.length]!.api;
    const senders = [
      ...Array.from({ length: SENDERS }, () => async () => {
        await sendEvents(next, { gameUid: studio.gameUid, buildId });
        done.events += EVENTS_PER_BATCH;
      }),
      async () => {
        await reportPatiently(next, { gameUid: studio.gameUid, buildId });
        done.crashes += 1;
      },
      async () => {
        const { version, checksum } = await shipPatiently(next, studio);
        done.builds.set(version, checksum);
      },
    ];
    const rounds = senders.map(() => 0);
    const running = Promise.all(
      senders.map(async (send, index) => {
        while (!ending.signal.aborted) {
          await send();
          rounds[index]! += 1;
        }
      }),
    );
    const untilAll = async (count: number) => {
      const goals = rounds.map((round) => round + count);
      await Promise.race([until(async () => rounds.every((round, index) => round >= goals[index]!)), running]);
    };

    await untilAll(ENOUGH);
    await pair.killPrimary();
    const killedAt = performance.now();
    await pair.promote();
    const promoted = performance.now();
    await untilAll(1);
    const recovered = performance.now();
    await untilAll(ENOUGH);
    ending.abort();
    await running;
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
    t.diagnostic(
      `promoted after ${seconds(killedAt, promoted)} s, every client served ${seconds(promoted, recovered)} s later`,
    );
    t.diagnostic(`acknowledged: ${done.events} events, ${done.crashes} crash reports, ${done.builds.size} uploads`);

    const [service] = services as [ServiceProcess];
    const ask = askAs(service, await startBrowserSession(service, studio));
    const path = `/games/${studio.gameUid}`;
    const { names } = await ask<{ names: { name: string; count: number }[] }>('GET', `${path}/events/names`);
    assert.equal(names.find(({ name }) => name === 'boot_ok')?.count, done.events);
    const countCrashes = async () => {
      const { groups } = await ask<{ groups: { count: number }[] }>('GET', `${path}/crash-groups`);
      return groups.reduce((sum, { count }) => sum + count, 0);
    };
    await until(async () => (await countCrashes()) >= done.crashes);
    assert.equal(await countCrashes(), done.crashes);
    for (const [version, checksum] of done.builds) {
      const { builds } = await ask<{ builds: { version: string; file: { checksum: string } | null }[] }>(
        'GET',
        `${path}/builds?version=${version}`,
      );
      assert.deepEqual(
        builds.filter((build) => build.version === version).map(({ file }) => file?.checksum),
        [checksum],
      );
    }
    assert.ok(services.every((each) => !each.hasEnded()));
  });
});
