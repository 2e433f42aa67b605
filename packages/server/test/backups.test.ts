// Backing up a real installation and restoring it elsewhere: everything is there, also what is written, deleted or
// killed meanwhile.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { openFileStore } from '../src/kernel/blobs/filesystem.ts';
import { changed, onlyRow, openDatabase, rows } from '../src/kernel/database/db.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { backUp } from '../src/operate/backups/backup.ts';
import { listBackups } from '../src/operate/backups/backup-files.ts';
import { readLatestBackups } from '../src/operate/backups/backups.ts';
import { backupIdOf } from '../src/operate/backups/manifest.ts';
import { verifyBlobs } from '../src/operate/backups/verify.ts';
import { reportWithDump } from './setup/crashes.ts';
import { type FullGame, listBlobKeys, makeFullGame } from './setup/full-game.ts';
import {
  backUpTo,
  differingBlobs,
  digestsOf,
  makeFolder,
  makePlace,
  type Place,
  restoreFrom,
  serve,
} from './setup/installations.ts';
import { signIn, startServer, type TestServer } from './setup/server.ts';

const DUMP = Buffer.concat([Buffer.from('MDMP'), randomBytes(1000)]);
const UNLIMITED = { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_MEDIA: '0' };

const folders: string[] = [];
const places: Place[] = [];
const servers: TestServer[] = [];

async function newFolder(): Promise<string> {
  const folder = await makeFolder();
  folders.push(folder);
  return folder;
}

async function newPlace(): Promise<Place> {
  const place = await makePlace();
  places.push(place);
  return place;
}

/** Restores into a new place and starts a server there. */
async function restoreElsewhere(address: string, args: string[] = []): Promise<TestServer> {
  const place = await newPlace();
  const { code, stderr } = await restoreFrom(address, place, args);
  assert.equal(code, 0, stderr);
  return serveRestored(place);
}

async function serveRestored(place: Place): Promise<TestServer> {
  const server = await serve(place);
  servers.push(server);
  return server;
}

after(async () => {
  for (const server of servers) await server.stop();
  for (const place of places) await place.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function problemsOf(server: TestServer): Promise<string[]> {
  const silent = { problem: () => undefined, orphan: () => undefined };
  return (await verifyBlobs(server.ctx, server.app.pool, silent)).problems.map(({ key }) => key);
}

describe('a backup of a server at rest', () => {
  let server: TestServer;
  let studio: FullGame;
  let target: string;
  before(async () => {
    // With role api, the jobs stay queued.
    server = await startServer({ role: 'api', env: UNLIMITED });
    studio = await makeFullGame(server);
    await makeFullGame(server);
    target = await newFolder();
    await changed(
      server.ctx.db,
      sql`update graphile_worker._private_jobs set attempts = 1, last_error = 'a\tb'
      where id = (select min(id) from graphile_worker._private_jobs)`,
    );
    await changed(server.ctx.db, sql`update bug_tickets set message = ${'tab\t, \\, \\N, line\n and 🦉'}`);
  });
  after(() => server.stop());

  test('restores every row, job, partition and blob', async () => {
    const { code, stdout, stderr } = await backUpTo(target, server);
    assert.equal(code, 0, stderr + stdout);
    const place = await newPlace();
    const restored = await restoreFrom(target, place);
    assert.equal(restored.code, 0, restored.stderr);
    const database = openDatabase(place.database.url, { connections: 1, log: createLog('silent'), name: 'test' });
    assert.deepEqual(await digestsOf(database.db), await digestsOf(server.ctx.db));
    await database.close();
    const copy = await serveRestored(place);
    const partitions = sql<{ name: string }>`select relname as name from pg_class where relispartition order by 1`;
    assert.deepEqual(await rows(copy.ctx.db, partitions), await rows(server.ctx.db, partitions));
    const keys = await listBlobKeys(copy);
    assert.deepEqual(await differingBlobs(copy, server, keys), []);
    assert.deepEqual(await problemsOf(copy), []);
    await signIn(copy, studio.game.owner);
    const next = sql<{ no: number }>`select nextval('process_numbers') as no`;
    assert.ok(
      (await onlyRow(copy.ctx.db, next)).no >
        (await onlyRow(server.ctx.db, sql<{ no: number }>`select max(process_no) as no from processes`)).no,
    );
  });

  test('can only be read by the account that made it', async () => {
    for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
    }
  });

  test('copies only new blobs the next time', async () => {
    const again = JSON.parse((await backUpTo(target, server, ['--json'])).stdout);
    assert.deepEqual([again.copied, again.problems], [0, 0]);
    await reportWithDump({ server, game: studio.game, buildId: studio.buildId }, DUMP);
    await changed(server.ctx.db, sql`delete from media where game_id = ${studio.game.uid}`);
    const third = JSON.parse((await backUpTo(target, server, ['--json'])).stdout);
    assert.equal(third.copied, 1);
    assert.ok(third.blobs < again.blobs + 1);
  });

  test('--at restores an earlier backup, and --keep deletes the blobs that only older ones needed', async () => {
    const [first] = await readdir(join(target, 'backups'));
    const copy = await restoreElsewhere(target, ['--at', timeOf(first!)]);
    const media = sql<{ count: number }>`select count(*) as count from media`;
    assert.equal((await onlyRow(copy.ctx.db, media)).count, 2);
    const before = (await readdir(target, { recursive: true })).length;
    const { code, stderr } = await backUpTo(target, server, ['--keep', '2']);
    assert.equal(code, 0, stderr);
    assert.equal(
      (await readdir(target, { recursive: true })).filter((path) => path.endsWith('manifest.json')).length,
      2,
    );
    assert.ok((await readdir(target, { recursive: true })).length < before);
    const newest = await restoreElsewhere(target);
    assert.equal((await onlyRow(newest.ctx.db, media)).count, 1);
    assert.deepEqual(await problemsOf(newest), []);
  });

  test('a backup that was killed while it wrote its manifest stops neither the next one nor a restore', async () => {
    const killed = join(target, 'backups', backupIdOf(new Date()));
    await mkdir(killed, { recursive: true });
    await writeFile(join(killed, 'manifest.json.part'), '{"sha256":');
    const place = await newPlace();
    assert.equal((await restoreFrom(target, place)).code, 0);
    const { code, stderr } = await backUpTo(target, server);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await readdir(killed), []);
  });

  test('--keep never deletes the backup that it made, even if others were made while the clock was ahead', async () => {
    const ahead = { ...server.ctx, clock: { now: () => new Date('2099-01-01') } };
    const store = openFileStore({ folder: await newFolder() });
    const options = { keep: 1, report: { progress: () => undefined, problem: () => undefined } };
    const future = await backUp(ahead, server.app.pool, store, options);
    const made = await backUp(server.ctx, server.app.pool, store, options);
    const next = await backUp(server.ctx, server.app.pool, store, options);
    assert.notEqual(made.id, next.id);
    assert.deepEqual(
      (await listBackups(store)).map(({ id }) => id),
      [next.id, future.id],
    );
    // The run from the future hides no later failure from monitoring.
    const { succeeded_at } = await readLatestBackups(server.ctx);
    assert.ok((succeeded_at?.getTime() ?? 0) <= Date.now());
  });

  test('reports a blob that the installation has lost, and keeps the rest', async () => {
    const { key } = await onlyRow(
      server.ctx.db,
      sql<{ key: string }>`select dump_key as key from crash_reports limit 1`,
    );
    await rm(join(server.dataFolder, 'blobs', key));
    const other = await newFolder();
    const { code, stdout } = await backUpTo(other, server);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`missing ${key}`));
    const copy = await restoreElsewhere(other);
    assert.deepEqual(await problemsOf(copy), [key]);
  });
});

/** `20261123t061400.123z` as `--at` accepts it. */
function timeOf(id: string): string {
  return id.toUpperCase().replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:');
}
