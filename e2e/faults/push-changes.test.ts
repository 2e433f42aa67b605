// Pushes of what changed are cut short: the command or the worker is killed, or the earlier file goes away. What is offered
// in the end is what the folder has. CHAUFFEUR_TEST_KILLS sets how often the command is killed; 20 times by default.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { changed, onlyRow } from '../../packages/server/src/kernel/database/db.ts';
import { sweepBlobs } from '../../packages/server/src/ship/uploads/uploads.ts';
import { leftoversOf } from '../../packages/server/test/setup/leftovers.ts';
import { makeGame, startServer, type TestGame, type TestServer } from '../../packages/server/test/setup/server.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { noise, read, write } from '../../packages/updater/test/setup/folders.ts';
import { makeFolder, type Running, spawnCommand, startService } from '../setup/processes.ts';

const KILLS = Number(process.env.CHAUFFEUR_TEST_KILLS ?? 20);
const MB = 1_000_000;
const DAYS = 86_400_000;

/** Composes nothing by itself. */
let quiet: TestServer;
let server: TestServer;
let work: Awaited<ReturnType<typeof makeFolder>>;
before(async () => {
  [server, quiet, work] = await Promise.all([startServer(), startServer({ role: 'api' }), makeFolder()]);
});
after(async () => {
  await Promise.all([server?.stop(), quiet?.stop()]);
  await work?.remove();
});

function start(on: TestServer, game: TestGame, ...args: string[]): Running {
  const environment = {
    SERVICE_API_URL: on.api,
    SERVICE_ACCESS_TOKEN: game.keyHeaders['x-access-token']!,
    SERVICE_SECRET_KEY: game.keyHeaders['x-secret-key']!,
    XDG_CONFIG_HOME: join(work.path, 'config'),
    TMPDIR: work.path,
  };
  return spawnCommand([...args, '--os', 'linux', '--arch', 'x86_64', '--json'], { environment, folder: work.path });
}

const push = (on: TestServer, game: TestGame, folder: string, version: string) =>
  start(on, game, 'push', folder, '--version', version);

async function resultOf(command: Running) {
  const { code, stdout, stderr } = await command.ended;
  assert.equal(code, 0, stdout + stderr);
  return { ...JSON.parse(stdout), stderr };
}

async function assertOffered(on: TestServer, game: TestGame, folder: string, name: string): Promise<void> {
  const installed = join(work.path, name);
  await resultOf(start(on, game, 'install', `${on.url}/g/${game.slug}`, installed));
  assert.deepEqual(read(installed), read(folder));
}

const untilComposing = (on: TestServer, game: TestGame) =>
  until(async () => {
    const { count } = await onlyRow(
      on.ctx.db,
      sql<{ count: number }>`select count(*) as count from upload_sessions
        join upload_bundles using (game_id, session_id)
        where game_id = ${game.uid} and finished_at is not null and composed_file_id is null and failure is null`,
    );
    return count === 1;
  });

async function assertNoBundles(on: TestServer, game: TestGame): Promise<void> {
  await sweepBlobs({ ...on.ctx, clock: { now: () => new Date(Date.now() + 2 * DAYS) } });
  assert.deepEqual(
    (await leftoversOf(on, game)).blobs.filter((name) => name.endsWith('.bundle')),
    [],
  );
}

test(`a push is killed at ${KILLS} moments and then repeated`, { timeout: 900_000 }, async () => {
  const game = await makeGame(server);
  const folder = join(work.path, 'killed');
  write(folder, 'world.pak', noise(20 * MB, 1));
  write(folder, 'level.pak', noise(MB, 2));
  await resultOf(push(server, game, folder, '1.0'));
  let ms = 2000;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const version = `1.${kill + 1}`;
    write(folder, 'level.pak', noise(MB, 3 + kill));
    const command = push(server, game, folder, version);
    await Promise.race([wait((1.2 * ms * (kill + Math.random())) / KILLS), command.ended]);
    command.kill('SIGKILL');
    await command.ended;
    const began = performance.now();
    const { sent_bytes } = await resultOf(push(server, game, folder, version));
    ms = performance.now() - began;
    assert.ok(sent_bytes < 2 * MB, `killed ${kill}: ${sent_bytes} bytes sent`);
  }
  await assertOffered(server, game, folder, 'killed-installed');
  await assertNoBundles(server, game);
});

test('two pushes of different versions at once', async () => {
  const game = await makeGame(server);
  const [one, two] = [join(work.path, 'one'), join(work.path, 'two')];
  for (const folder of [one, two]) write(folder, 'world.pak', noise(5 * MB, 40));
  await resultOf(push(server, game, one, '1.0'));
  write(one, 'a.pak', noise(MB, 41));
  write(two, 'b.pak', noise(MB, 42));
  const results = await Promise.all([push(server, game, one, '2.0'), push(server, game, two, '2.1')].map(resultOf));
  for (const { sent_bytes } of results) assert.ok(sent_bytes < 2 * MB, String(sent_bytes));
  // A push compares what the server made with its folder.
  assert.equal((await leftoversOf(server, game)).files, 3);
});

test('an earlier file goes away, and a worker is killed, while a push waits for its zip', async () => {
  const game = await makeGame(quiet);
  const folder = join(work.path, 'waiting');
  write(folder, 'world.pak', noise(10 * MB, 50));
  const begin = () => startService(quiet.dataFolder, { DATABASE_URL: quiet.database.url }, { role: 'worker' });
  let worker = await begin();
  try {
    await resultOf(push(quiet, game, folder, '1.0'));
    await worker.stop();
    write(folder, 'a.pak', noise(MB, 51));
    const gone = push(quiet, game, folder, '1.1');
    await untilComposing(quiet, game);
    await changed(quiet.ctx.db, sql`delete from files where game_id = ${game.uid}`);
    worker = await begin();
    const whole = await resultOf(gone);
    assert.match(whole.stderr, /Uploading the whole zip instead/);
    assert.equal(whole.reused_bytes, 0);
    await worker.stop();
    write(folder, 'b.pak', noise(MB, 52));
    const killed = push(quiet, game, folder, '1.2');
    await untilComposing(quiet, game);
    worker = await begin();
    await worker.kill();
    worker = await begin();
    assert.ok((await resultOf(killed)).sent_bytes < 2 * MB);
    await assertOffered(quiet, game, folder, 'waiting-installed');
    assert.equal((await leftoversOf(quiet, game)).files, 2);
    await assertNoBundles(quiet, game);
  } finally {
    await worker.stop();
  }
});
