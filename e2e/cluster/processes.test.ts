// Several processes behind nginx work like one: uploads, locks, limits, jobs, crash reports and events, and an update
// without a stop.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { readDumpFixture } from '../../packages/server/test/setup/crash-dumps.ts';
import { until, untilEqual } from '../../packages/server/test/setup/until.ts';
import { sendChunk, sha256, shipAndScan, startSession, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { type Cluster, NO_CLUSTER, startCluster } from '../setup/cluster.ts';
import { reportByEngine } from '../setup/crash-clients.ts';
import { startLoad } from '../setup/load.ts';
import { makeFolder, runCommand, type ServiceProcess } from '../setup/processes.ts';
import { keyOf, openStudioByCommands, readOffers, type Studio } from '../setup/studio.ts';
import { downloadSum, sendHalfChunk, untilOffered } from '../setup/uploads.ts';

const DUMP = new Uint8Array(readDumpFixture('nosym_middle'));
const CHUNK_BYTES = 50_000;
const SESSIONS = 8;
const REPEATED = 50;
const JOBS = 12;
const REPORTS = 250;
/** Rounds of each client of the load before and after the restart. */
const ROUNDS = 5;

const LIMITS = {
  CHAUFFEUR_LIMIT_UPLOADS: '0',
  CHAUFFEUR_LIMIT_CRASHES: '0',
  CHAUFFEUR_LIMIT_CRASH_UPLOADS: '0',
  CHAUFFEUR_LIMIT_PUBLIC: '0',
  CHAUFFEUR_LIMIT_READS: '0',
  CHAUFFEUR_LIMIT_SESSIONS: String(SESSIONS),
};

describe('two api processes and two workers behind nginx', () => {
  let cluster: Cluster | null;
  let database: pg.Pool;
  let studio: Studio;
  let buildId: string;
  before(async () => {
    cluster = await startCluster(LIMITS);
    if (cluster === null) return;
    database = new pg.Pool({ connectionString: cluster.databaseUrl });
    studio = await openStudioByCommands(cluster);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    ({ buildId } = await shipAndScan(cluster, studio, build, zipOfSize(1000)));
  });
  after(async () => {
    await database?.end();
    await cluster?.stop();
  });

  /** Returns another game of the same owner. */
  async function addGame(at: Cluster): Promise<Studio> {
    const ask = askAs(at, studio.session);
    const game = await ask<Record<string, string>>('POST', '/games', {
      name: `Game ${randomUUID().slice(0, 8)}`,
      visibility: 'public',
    });
    const key = await ask<Record<string, string>>('POST', `/games/${game.game_uid}/deploy-keys`);
    return { ...studio, gameUid: game.game_uid ?? '', slug: game.slug ?? '', ...keyOf(at, key) };
  }

  async function count(query: string, ...values: unknown[]): Promise<number> {
    const { rows } = await database.query<{ count: string }>(`select count(*) from ${query}`, values);
    return Number(rows[0]?.count);
  }

  test('the chunks of an upload go to both processes, and its file is complete', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const game = await addGame(cluster);
    const place = { service: cluster, studio: game };
    const zip = zipOfSize(8 * CHUNK_BYTES - 1000);
    const session = await startSession(place.service, place.studio, zip, {}, { version: '1.0.0' });
    for (let start = 0; start < zip.length; start += CHUNK_BYTES) {
      const end = Math.min(start + CHUNK_BYTES, zip.length);
      const { status, body } = await sendChunk(place.service, place.studio, session, zip, start, end);
      assert.equal(status, end === zip.length ? 201 : 202, JSON.stringify(body));
    }
    assert.equal(await downloadSum(await untilOffered(place, '1.0.0')), sha256(zip));
    for (const api of cluster.apis)
      assert.ok(linesOf(api, { operation: 'uploads.file', game: game.gameUid }).length >= 2, api.output());
  });

  test('the command pushes a folder', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const game = await addGame(cluster);
    const { path, remove } = await makeFolder();
    t.after(remove);
    await mkdir(join(path, 'game'));
    await writeFile(join(path, 'game', 'game.txt'), 'a game');
    const args = ['push', 'game', '--version', '2.0.0', '--os', 'linux', '--arch', 'x86_64'];
    const { code, stderr } = await runCommand(args, { environment: game.environment, folder: path });
    assert.equal(code, 0, stderr);
    const offers = await readOffers(cluster, game.slug);
    assert.deepEqual(
      offers.map(({ version }) => version),
      ['2.0.0'],
    );
  });

  test('a chunk that is sent to both processes at once is stored once, and the other sender gets 4047', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const game = await addGame(cluster);
    const zip = zipOfSize(3 * CHUNK_BYTES);
    const session = await startSession(cluster, game, zip, {}, { version: '1.0.0' });
    const [first, second] = placesOf(cluster, game);
    const sendRest = await sendHalfChunk(first, session, zip, 0, CHUNK_BYTES);
    await until(async () =>
      Boolean(await count('upload_sessions where session_id = $1 and lock_token is not null', session)),
    );
    const refused = await sendChunk(second.service, second.studio, session, zip, 0, CHUNK_BYTES);
    assert.deepEqual([refused.status, refused.body.error?.code], [409, 4047]);
    assert.equal((await sendRest()).status, 202);
    const late = await sendChunk(second.service, second.studio, session, zip, 0, CHUNK_BYTES);
    assert.deepEqual([late.status, late.body.error?.code], [409, 4044]);
    assert.equal((await sendChunk(second.service, second.studio, session, zip, CHUNK_BYTES, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(first, '1.0.0')), sha256(zip));
  });

  test('the limit of open upload sessions holds for both processes together', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const game = await addGame(cluster);
    const places = placesOf(cluster, game);
    const zip = zipOfSize(1000);
    const results = await Promise.allSettled(
      Array.from({ length: SESSIONS + 4 }, (_, index) =>
        startSession(places[index % 2]!.service, places[index % 2]!.studio, zip, {}, { version: `1.0.${index}` }),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 4);
    for (const { reason } of refused) assert.match(String(reason), /"code":4291/);
    assert.equal(await count('upload_sessions where game_id = $1', game.gameUid), SESSIONS);
  });

  test('two workers scan each file and process each dump once', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const { api, workers } = cluster;
    const game = await addGame(cluster);
    const builds = await Promise.all(
      Array.from({ length: JOBS }, (_, index) =>
        shipAndScan(
          cluster as Cluster,
          game,
          { version: `1.0.${index}`, os: 'linux', arch: 'x86_64' },
          zipOfSize(20_000),
        ),
      ),
    );
    const target = { api, gameUid: game.gameUid, buildId: builds[0]!.buildId };
    await Promise.all(Array.from({ length: JOBS }, () => reportByEngine(target, {}, DUMP, randomUUID())));
    await untilEqual(() => countGrouped(api, studio, game), JOBS);
    const readScanned = async () =>
      workers
        .flatMap((worker) => linesOf(worker, { msg: 'scan ended', game: game.gameUid }))
        .map(({ file }) => String(file))
        .sort();
    await untilEqual(readScanned, builds.map(({ fileUid }) => fileUid).sort());
    assert.equal(await count('crash_reports where game_id = $1', game.gameUid), JOBS);
  });

  test('crash reports and events that arrive at both processes at once are each stored once', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const { api, apis } = cluster;
    const headers = { 'content-type': 'application/json', 'x-app-id': studio.gameUid, 'x-build-id': buildId };
    const message = `reported ${randomUUID()}`;
    const name = `sent_${randomUUID().replaceAll('-', '')}`;
    const post = async (path: string, body: object) => {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${api}/public/${path}`, init);
      const text = await response.text();
      assert.ok(response.ok, `${response.status}: ${text}`);
    };
    const before = apis.map(countReceived);
    await Promise.all(
      Array.from({ length: REPORTS }, async () => {
        const event = { event: name, event_id: randomUUID(), device_uid: randomUUID() };
        await Promise.all([post('crashes', { message }), post('events', event)]);
      }),
    );
    assert.equal(await count('crash_reports where message = $1', message), REPORTS);
    await untilEqual(() => count('events where name = $1', name), REPORTS);
    await until(async () => apis.every((process, index) => countReceived(process) >= before[index]! + REPORTS / 2));
  });

  test('an event and a dump that both processes receive at once, as after a retry, count once', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const { apis } = cluster;
    const name = `repeated_${randomUUID().replaceAll('-', '')}`;
    const target = { gameUid: studio.gameUid, buildId };
    const before = await count('crash_reports where game_id = $1', studio.gameUid);
    const headers = { 'content-type': 'application/json', 'x-app-id': studio.gameUid, 'x-build-id': buildId };
    await Promise.all(
      Array.from({ length: REPEATED }, async () => {
        const dumpId = randomUUID();
        const event = { event: name, event_id: randomUUID(), device_uid: randomUUID() };
        await Promise.all(
          apis.flatMap(({ api }) => [
            reportByEngine({ api, ...target }, {}, DUMP, dumpId),
            fetch(`${api}/public/events`, { method: 'POST', headers, body: JSON.stringify(event) }),
          ]),
        );
      }),
    );
    await untilEqual(() => count('events where name = $1', name), REPEATED);
    assert.equal(await count('crash_reports where game_id = $1', studio.gameUid), before + REPEATED);
  });

  test('all processes are replaced under load, and no client notices', async (t) => {
    if (cluster === null) return t.skip(NO_CLUSTER);
    const { api } = cluster;
    const game = await addGame(cluster);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    const shipped = await shipAndScan(cluster, game, build, zipOfSize(1000));
    const target = { ...game, buildId: shipped.buildId, dump: DUMP };
    const load = startLoad(target, api);
    await load.rounds(ROUNDS);
    const before = [...cluster.apis, ...cluster.workers];
    await cluster.restartAll();
    assert.ok(before.every((process) => process.hasEnded()));
    await load.rounds(ROUNDS);
    await load.stop();

    const { events, crashes, builds } = load.acknowledged;
    t.diagnostic(`acknowledged: ${events} events, ${crashes} crash reports, ${builds.size} uploads`);
    const { gameUid } = game;
    await untilEqual(() => count("events where game_id = $1 and name = 'boot_ok'", gameUid), events);
    assert.equal(await count('crash_reports where game_id = $1', gameUid), crashes);
    await untilEqual(() => countGrouped(api, studio, game), crashes);
    const { rows } = await database.query<{ checksum: string }>(
      'select checksum from files where game_id = $1 and build_id <> $2',
      [gameUid, shipped.buildId],
    );
    assert.deepEqual(rows.map(({ checksum }) => checksum).sort(), [...builds.values()].sort());
    await untilEqual(
      () => count("files where game_id = $1 and scan_state in ('clean', 'unscanned')", gameUid),
      builds.size + 1,
    );
  });
});

/** The same game, by way of each api process without nginx. */
function placesOf({ apis }: Cluster, studio: Studio) {
  const [first, second] = apis.map((service) => ({ service, studio }));
  return [first!, second!] as const;
}

/** Returns the lines of the log that have these fields. */
function linesOf(service: ServiceProcess, fields: Record<string, string>): Record<string, unknown>[] {
  return (
    service
      .output()
      .split('\n')
      // The last line may be incomplete.
      .slice(0, -1)
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value))
  );
}

/** The number of crash reports and events that this process has received. */
function countReceived(service: ServiceProcess): number {
  return ['crashes.create', 'events.create'].reduce(
    (sum, operation) => sum + linesOf(service, { operation }).length,
    0,
  );
}

/** The number of crash reports in groups. */
async function countGrouped(api: string, { session }: Studio, { gameUid }: Studio): Promise<number> {
  const ask = askAs({ api }, session);
  const { groups } = await ask<{ groups: { count: number }[] }>('GET', `/games/${gameUid}/crash-groups`);
  return groups.reduce((sum, group) => sum + group.count, 0);
}
