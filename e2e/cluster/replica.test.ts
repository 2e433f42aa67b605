// Two processes of the service read from a streaming standby: what a user has written is always read back, nothing is
// older than the bound, and a standby that fails is not noticed.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase, rows } from '../../packages/server/src/kernel/database/db.ts';
import { openReplica } from '../../packages/server/src/kernel/database/replica.ts';
import { joinPresence } from '../../packages/server/src/kernel/processes/presence.ts';
import { createLog } from '../../packages/server/src/kernel/telemetry/log.ts';
import { createMetrics } from '../../packages/server/src/kernel/telemetry/metrics.ts';
import { callTool } from '../../packages/server/test/setup/agents.ts';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { until, untilEqual } from '../../packages/server/test/setup/until.ts';
import { shipAndScan, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { NO_PAIR, type PostgresPair, startPostgresPair } from '../setup/postgres-pair.ts';
import { makeFolder, type Service, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudio, type Studio, startBrowserSession } from '../setup/studio.ts';

/** So long that only the writes of a user keep a read from the standby. */
const LONG_SECONDS = 300;
const SHORT_SECONDS = 2;

type Installation = {
  readonly pair: PostgresPair;
  readonly first: ServiceProcess;
  readonly second: ServiceProcess;
  readonly studio: Studio;
  readonly buildId: string;
  stop(): Promise<void>;
};

/** Null if a program is not installed. */
async function install(seconds: number): Promise<Installation | null> {
  const pair = await startPostgresPair({ synchronous: false, standbySettings: 'max_standby_streaming_delay = 0' });
  if (pair === null) return null;
  const work = await makeFolder();
  const settings = {
    DATABASE_URL: pair.primary.url,
    CHAUFFEUR_DATABASE_REPLICA_URL: pair.standby.url,
    CHAUFFEUR_DATABASE_REPLICA_SECONDS: String(seconds),
    CHAUFFEUR_LIMIT_PUBLIC: '0',
    // The second process has another address, and serves the same sessions.
    CHAUFFEUR_SECRET: 'the same secret for both processes',
  };
  const first = await startService(join(work.path, 'data'), settings);
  const second = await startService(join(work.path, 'data'), { ...settings, CHAUFFEUR_PUBLIC_URL: first.url });
  const studio = await openStudio(first);
  const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
  const { buildId } = await shipAndScan(first, studio, build, zipOfSize(1000));
  return {
    pair,
    first,
    second,
    studio,
    buildId,
    async stop() {
      await Promise.all([first.stop(), second.stop()]);
      await pair.stop();
      await work.remove();
    },
  };
}

/** Sends an event as a game does. */
async function sendEvent({ first, studio, buildId }: Installation, name: string): Promise<void> {
  const response = await fetch(`${first.api}/public/events?app_id=${studio.gameUid}&build_id=${buildId}`, {
    method: 'POST',
    body: JSON.stringify({ event: name, event_id: randomUUID(), device_uid: randomUUID() }),
  });
  assert.ok(response.ok, await response.text());
}

async function readNames(service: Service, { gameUid, session }: Studio): Promise<string[]> {
  type Names = { names: { name: string }[] };
  const { names } = await askAs(service, session)<Names>('GET', `/games/${gameUid}/events/names`);
  return names.map(({ name }) => name);
}

/** Files a bug as a player does, who is the owner here. */
async function fileBug(service: Service, { gameUid, session }: Studio, message: string): Promise<void> {
  await askAs(service, session)('POST', `/games/${gameUid}/bugs`, { message });
}

async function readBugs(service: Service, { gameUid, session }: Studio): Promise<string[]> {
  type Bugs = { bugs: { message: string }[] };
  const { bugs } = await askAs(service, session)<Bugs>('GET', `/games/${gameUid}/bugs`);
  return bugs.map(({ message }) => message);
}

/** How many reads of this process had this result. */
async function countReads({ url }: Service, result: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^chauffeur_replica_reads_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Waits until the next reads of a user without recent writes come from the standby. */
async function untilReplicaIsRead({ second, studio }: Installation): Promise<void> {
  const before = await countReads(second, 'replica');
  await until(async () => {
    await readNames(second, studio);
    return (await countReads(second, 'replica')) > before;
  });
}

async function replicaCheck({ url }: Service): Promise<[status: number, replica: string | undefined]> {
  const response = await fetch(`${url}/ready`);
  const { checks } = (await response.json()) as { checks: { replica?: string } };
  return [response.status, checks.replica];
}

describe('a standby whose data may be old', () => {
  let installation: Installation | null;
  before(async () => {
    installation = await install(LONG_SECONDS);
  });
  after(() => installation?.stop());

  /** Runs `work` while the standby receives changes and doesn't apply them. */
  async function whilePaused({ pair }: Installation, work: () => Promise<void>): Promise<void> {
    await pair.standby.query('select pg_wal_replay_pause()');
    await until(async () => {
      const [row] = await pair.standby.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
      return row?.state === 'paused';
    });
    try {
      await work();
    } finally {
      await pair.standby.query('select pg_wal_replay_resume()');
    }
  }

  test('lists run on the standby, and not on the primary', async (t) => {
    if (installation === null) return t.skip(NO_PAIR);
    const { pair, second, studio } = installation;
    await untilReplicaIsRead(installation);
    const scans = async (server: PostgresPair['primary']) => {
      const [row] = await server.query<{ scans: string }>(
        "select seq_scan + coalesce(idx_scan, 0) as scans from pg_stat_user_tables where relname = 'bug_tickets'",
      );
      return Number(row?.scans);
    };
    const [onPrimary, onStandby] = [await scans(pair.primary), await scans(pair.standby)];
    for (let count = 0; count < 20; count += 1) await readBugs(second, studio);
    // Servers report their counts after a second.
    await until(async () => (await scans(pair.standby)) >= onStandby + 20);
    assert.equal(await scans(pair.primary), onPrimary);
  });

  test('returns what the user has written, by every process, session and credential', async (t) => {
    if (installation === null) return t.skip(NO_PAIR);
    const { first, second, studio } = installation;
    const owner = askAs(first, studio.session);
    const { key } = await owner<{ key: string }>('POST', '/account/agent-keys', { name: 'test', may_write: true });
    await untilReplicaIsRead(installation);
    const message = `seen ${randomUUID()}`;
    const name = `sent_${randomUUID().replaceAll('-', '')}`;
    await whilePaused(installation, async () => {
      await sendEvent(installation as Installation, name);
      // Games are not users: their events follow within the bound.
      assert.ok(!(await readNames(second, studio)).includes(name));
      await fileBug(first, studio, message);
      assert.ok((await readBugs(first, studio)).includes(message));
      assert.ok((await readBugs(second, studio)).includes(message));
      const device = { ...studio, session: await startBrowserSession(first, studio) };
      assert.ok((await readBugs(second, device)).includes(message));
      type Bugs = { bugs: { message: string }[] };
      const { bugs } = await callTool<Bugs>(second, key, 'list_bug_tickets', { uid: studio.gameUid });
      assert.ok(bugs.some((bug) => bug.message === message));
    });
    await untilReplicaIsRead(installation);
    assert.ok((await readBugs(second, studio)).includes(message));
  });

  test('returns what a deploy key has written to the members of the game', async (t) => {
    if (installation === null) return t.skip(NO_PAIR);
    const { first, second, studio } = installation;
    await untilReplicaIsRead(installation);
    await whilePaused(installation, async () => {
      const build = { version: '2.0.0', os: 'linux', arch: 'x86_64', channel: 'stable' };
      const { SERVICE_ACCESS_TOKEN: token = '', SERVICE_SECRET_KEY: secret = '' } = studio.environment;
      const headers = { 'x-access-token': token, 'x-secret-key': secret };
      const { build_id: id } = await askAs(first, headers)<{ build_id: string }>('POST', '/tool/upload/build', build);
      const before = await countReads(second, 'own_write');
      await askAs(second, studio.session)('GET', `/games/${studio.gameUid}/builds/${id}/health`);
      assert.equal(await countReads(second, 'own_write'), before + 1);
    });
  });

  test('reads again on the primary if the standby cancels the statement', async (t) => {
    if (installation === null) return t.skip(NO_PAIR);
    const { pair } = installation;
    const log = createLog('silent');
    const metrics = createMetrics();
    const options = { log, name: 'test' };
    const database = openDatabase(pair.primary.url, { ...options, connections: 2 });
    const presence = await joinPresence(pair.primary.url, 'test', log);
    const replica = await openReplica({
      primaryUrl: pair.primary.url,
      replicaUrl: pair.standby.url,
      primary: database.db,
      connections: 2,
      maxLagSeconds: LONG_SECONDS,
      role: 'test',
      presence,
      log,
      metrics,
    });
    t.after(async () => {
      await replica.close();
      await presence.leave();
      await database.close();
    });
    await pair.primary.query('create table sketches (no integer)');
    await until(async () => {
      const [row] = await pair.standby.query<{ exists: boolean }>(
        "select to_regclass('sketches') is not null as exists",
      );
      return row?.exists === true && replica.state().state === 'ok';
    });
    const servers: string[] = [];
    const reading = replica.read({}, async (db) => {
      servers.push(replica.state().state);
      const wait = servers.length === 1 ? 30 : 0;
      return rows(
        db,
        sql<{
          standby: boolean;
        }>`select pg_is_in_recovery() as standby, pg_sleep(${wait}) from (select count(*) from sketches) as counted`,
      );
    });
    await until(async () => {
      const active = await pair.standby.query(
        "select from pg_stat_activity where query like '%sketches%' and wait_event = 'PgSleep'",
      );
      return active.length > 0;
    });
    // The standby can't apply this while the statement runs.
    await pair.primary.query('alter table sketches add column name text');
    assert.deepEqual(
      (await reading).map(({ standby }) => standby),
      [false],
    );
    assert.match(await metrics.read(), /^chauffeur_replica_reads_total\{result="failed"\} 1$/m);
  });

  test('a standby that is killed causes no error, and is used again when it is back', async (t) => {
    if (installation === null) return t.skip(NO_PAIR);
    const { pair, second, studio } = installation;
    await untilReplicaIsRead(installation);
    const ending = new AbortController();
    let reads = 0;
    const reader = async () => {
      while (!ending.signal.aborted) {
        await readNames(second, studio);
        reads += 1;
      }
    };
    const reading = Promise.all([reader(), reader()]);
    await pair.standby.kill();
    const atKill = reads;
    await until(async () => reads > atKill + 20);
    await untilEqual(() => replicaCheck(second), [200, 'failed']);
    await pair.standby.restart();
    await untilEqual(() => replicaCheck(second), [200, 'ok']);
    await untilReplicaIsRead(installation);
    ending.abort();
    await assert.doesNotReject(reading);
  });
});

describe('a standby whose data may only be 2 seconds old', () => {
  test('is not used while it is further behind, or when it was promoted', async (t) => {
    const installation = await install(SHORT_SECONDS);
    if (installation === null) return t.skip(NO_PAIR);
    t.after(() => installation.stop());
    const { pair, second, studio } = installation;
    await untilReplicaIsRead(installation);

    await pair.standby.query('select pg_wal_replay_pause()');
    const name = `sent_${randomUUID().replaceAll('-', '')}`;
    await sendEvent(installation, name);
    const sent = performance.now();
    await until(async () => (await readNames(second, studio)).includes(name));
    const seconds = (performance.now() - sent) / 1000;
    t.diagnostic(`read from the primary ${seconds.toFixed(1)} s after the standby stopped`);
    assert.ok(seconds < SHORT_SECONDS + 1.5);
    assert.ok((await countReads(second, 'behind')) > 0);
    await untilEqual(() => replicaCheck(second), [200, 'failed']);
    await pair.standby.query('select pg_wal_replay_resume()');
    await untilReplicaIsRead(installation);

    await pair.standby.query('select pg_promote()');
    await untilEqual(() => replicaCheck(second), [200, 'failed']);
    const reads = await countReads(second, 'replica');
    const later = `sent_${randomUUID().replaceAll('-', '')}`;
    await sendEvent(installation, later);
    await until(async () => (await readNames(second, studio)).includes(later));
    assert.equal(await countReads(second, 'replica'), reads);
    assert.ok((await countReads(second, 'not_standby')) > 0);
  });
});
