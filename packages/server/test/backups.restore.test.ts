// Restoring: damaged backups and installations in use are refused, an interrupted restore is repeated, and backups go to
// buckets and between versions.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFileStore } from '../src/kernel/blobs/filesystem.ts';
import { type Database, openDatabase } from '../src/kernel/database/db.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { formatManifest, type Manifest } from '../src/operate/backups/manifest.ts';
import { restore, verifyBackup } from '../src/operate/backups/restore.ts';
import { verifyBlobs } from '../src/operate/backups/verify.ts';
import { callApi } from './setup/api-calls.ts';
import { makeFullGame } from './setup/full-game.ts';
import { backUpTo, digestsOf, makeFolder, makePlace, type Place, restoreFrom, serve } from './setup/installations.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { signIn, startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';

let server: TestServer;
let target: string;
let place: Place;
let database: Database;
/** The place, as restore gets it in this process. */
let empty: Parameters<typeof restore>[0];
const folders: string[] = [];

before(async () => {
  server = await startServer({ role: 'api' });
  await makeFullGame(server);
  target = await newFolder();
  const { code, stderr } = await backUpTo(target, server);
  assert.equal(code, 0, stderr);
  place = await makePlace();
  const log = createLog('silent');
  database = openDatabase(place.database.url, { connections: 4, log, name: 'restore' });
  empty = { pool: database.pool, blobs: openFileStore({ folder: join(place.dataFolder, 'blobs') }), log };
});
after(async () => {
  await server.stop();
  await database.close();
  await place.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await makeFolder();
  folders.push(folder);
  return folder;
}

/** The path of the first file of the backup whose path matches. */
async function findFile(pattern: RegExp): Promise<string> {
  const paths = (await readdir(target, { recursive: true })).toSorted();
  return join(target, paths.find((path) => pattern.test(path)) ?? assert.fail(`no file matches ${pattern}`));
}

async function digestsIn({ database }: Place) {
  const { db, close } = openDatabase(database.url, { connections: 1, log: createLog('silent'), name: 'test' });
  try {
    return await digestsOf(db);
  } finally {
    await close();
  }
}

async function assertRefused(address: string, to: Place | TestServer, message: RegExp): Promise<void> {
  const { code, stderr } = await restoreFrom(address, to);
  assert.equal(code, 1);
  assert.match(stderr, message);
  // One plain message, without a stack.
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  await writeFile(path, bytes);
}

const SILENT = { progress: () => undefined, problem: () => undefined };

const DAMAGE = {
  'a flipped byte': flipByte,
  'a truncated file': (path: string) => truncate(path, 5),
  'a missing file': rm,
};

for (const [damage, harm] of Object.entries(DAMAGE)) {
  for (const pattern of [
    /^blobs\/files\/.+\.zip$/,
    /users\.copy\.zst$/,
    /graphile-worker/,
    /blobs-000001/,
    /manifest\.json$/,
  ]) {
    test(`${damage} in ${pattern} is found by verify and restore, before anything is written`, async () => {
      const path = await findFile(pattern);
      const bytes = await readFile(path);
      await harm(path);
      const source = openFileStore({ folder: target });
      const isRefused = { name: 'BackupError', message: /^(The backup is damaged|There is no complete backup)/ };
      await assert.rejects(verifyBackup(server.app.pool, source, new Date()), isRefused);
      await assert.rejects(restore(empty, source, { at: new Date(), report: SILENT }), isRefused);
      await writeFile(path, bytes);
      assert.deepEqual(await readdir(join(place.dataFolder, 'blobs')).catch(() => []), []);
    });
  }
}

test('a damaged backup is refused with one plain message', async () => {
  const path = await findFile(/users\.copy\.zst$/);
  const bytes = await readFile(path);
  await flipByte(path);
  const { code, stderr } = await runServerCommand(environmentOf(server), ['verify', target]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: The backup is damaged: .+\n$/);
  await assertRefused(target, place, /^error: The backup is damaged/);
  await writeFile(path, bytes);
});

test('an intact backup passes verify', async () => {
  const { code, stdout, stderr } = await runServerCommand(environmentOf(server), ['verify', target, '--json']);
  assert.equal(code, 0, stderr);
  assert.ok(JSON.parse(stdout).blobs > 10);
});

test('an installation with data is refused', async () => {
  await assertRefused(target, server, /^error: The database is not empty: it has 3 accounts and 1 games\./);
});

test('a running server is refused', async () => {
  const running = await startServer({ role: 'api' });
  await assertRefused(target, running, /^error: A server is running on this database\. Stop it first\./);
  await running.stop();
});

test('a blob store with other blobs is refused', async () => {
  const used = await makePlace();
  await mkdir(join(used.dataFolder, 'blobs', 'files'), { recursive: true });
  await writeFile(join(used.dataFolder, 'blobs', 'files', 'other.zip'), 'other');
  await assertRefused(target, used, /^error: The blob store is not empty: .+ has files\/other\.zip\./);
  await used.remove();
});

test('an interrupted restore can be repeated, and repairs a blob that it had damaged', async () => {
  const half = await makePlace();
  // A folder where a file must be written stops the restore after most of the blobs.
  const symbols = (await findFile(/^blobs\/symbols\/.+\.gz$/)).slice(target.length);
  const blocked = join(half.dataFolder, `${symbols}.part`);
  await mkdir(blocked, { recursive: true });
  assert.equal((await restoreFrom(target, half)).code, 1);
  await rmdir(blocked);
  const written = (await readdir(join(half.dataFolder, 'blobs'), { recursive: true })).find((path) =>
    path.endsWith('.zip'),
  );
  await flipByte(join(half.dataFolder, 'blobs', written!));
  const { code, stderr } = await restoreFrom(target, half);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await digestsIn(half), await digestsOf(server.ctx.db));
  const copy = await serve(half);
  const silent = { problem: () => undefined, orphan: () => undefined };
  assert.deepEqual((await verifyBlobs(copy.ctx, copy.app.pool, silent)).problems, []);
  await copy.stop();
  await half.remove();
});

/** Replaces the manifest while `work` runs. */
async function withManifest(change: (manifest: Manifest) => Manifest, work: () => Promise<void>): Promise<void> {
  const path = await findFile(/manifest\.json$/);
  const text = await readFile(path, 'utf8');
  await writeFile(path, formatManifest(change(JSON.parse(text).manifest)));
  await work();
  await writeFile(path, text);
}

/** Made by the release 0.2.0, with `chauffeur-server backup`: a game with a build, a cover, symbols and a crash report. */
const OF_OLDER_VERSION = join(import.meta.dirname, 'fixtures/backups/0.2.0.tar.gz');

test('a backup of an older version is migrated, and its installation works', async () => {
  const [address, restored] = [await newFolder(), await makePlace()];
  execFileSync('tar', ['-xzf', OF_OLDER_VERSION, '-C', address]);
  const { code, stderr } = await restoreFrom(address, restored);
  assert.equal(code, 0, stderr);
  assert.equal((await digestsIn(restored)).migrations, (await digestsOf(server.ctx.db)).migrations);
  const { stdout } = await runServerCommand(environmentOf(restored), ['verify', '--json']);
  const { blobs, problems } = JSON.parse(stdout);
  assert.deepEqual([blobs, problems], [6, []]);

  const running = await serve(restored);
  const owner = await signIn(running, { email: 'robin@example.com', password: 'a long password' });
  const read = async (path: string) => (await callApi(running, owner, 'GET', path)).body.data;
  // The owner has an organisation, which did not exist then.
  const { name, role, organisation } = await read('/games/old-game');
  assert.deepEqual([name, role, typeof organisation.organisation_uid], ['Old Game', 'owner', 'string']);
  const { downloads, cover } = await read('/public/games/old-game');
  assert.deepEqual([cover.width, cover.height], [1280, 720]);
  const [{ version, changelog_items: changes, file, download_url: url }] = downloads;
  assert.deepEqual([version, changes], ['1.0.0', [{ title: 'Rain', description: 'In six colours' }]]);
  const zip = Buffer.from(await (await fetch(new URL(url, running.url))).arrayBuffer());
  assert.equal(createHash('sha256').update(zip).digest('hex'), file.checksum);
  const { groups } = await read('/games/old-game/crash-groups');
  assert.deepEqual(
    groups.map(({ title, count }: { title: string; count: number }) => [title, count]),
    [['The gate is stuck', 1]],
  );
  await running.stop();
  await restored.remove();
});

test('a backup of a newer version is refused', async () => {
  const newer = { name: '9999_future.sql', sha256: 'f' };
  const withNewer = (manifest: Manifest) => ({
    ...manifest,
    version: '9.0.0',
    migrations: [...manifest.migrations, newer],
  });
  await withManifest(withNewer, () => assertRefused(target, place, /^error: The backup is from Chauffeur 9\.0\.0/));
});

test('a backup goes to a bucket and is restored into another one', async (t) => {
  const s3 = await startS3();
  if (s3 === null) return t.skip(S3_MISSING);
  const addressOf = (prefix: string) => s3.url.replace('?', `/${prefix}?`);
  const copy = await makePlace();
  try {
    const source = { ...environmentOf(server), ...s3.env };
    for (const copied of [14, 0]) {
      const { code, stdout, stderr } = await runServerCommand(source, [
        'backup',
        addressOf('backups'),
        '--keep',
        '1',
        '--json',
      ]);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).copied, copied);
    }
    const place = { ...environmentOf(copy), ...s3.env, CHAUFFEUR_BLOBS: addressOf('blobs') };
    const restored = await runServerCommand(place, ['restore', addressOf('backups')]);
    assert.equal(restored.code, 0, restored.stderr);
    const checked = await runServerCommand(place, ['verify', '--json']);
    assert.equal(checked.code, 0, checked.stderr);
    assert.equal(JSON.parse(checked.stdout).blobs, 14);
  } finally {
    await copy.remove();
    await s3.stop();
  }
});

test('a full disk ends the backup with a plain message, and the next one completes it', async (t) => {
  const disk = await newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return t.skip('skipped: this account cannot mount a disk');
  }
  try {
    const { code, stderr } = await backUpTo(disk, server);
    assert.deepEqual(
      [code, stderr],
      [1, 'error: The disk is full, so the backup is incomplete. Free some space, and run the command again.\n'],
    );
    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    assert.equal((await backUpTo(disk, server)).code, 0);
    assert.equal((await runServerCommand(environmentOf(server), ['verify', disk])).code, 0);
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('works with the embedded PostgreSQL', async () => {
  const folder = await newFolder();
  await chmod(folder, 0o755);
  const [from, to, backup] = ['from', 'to', 'backup'].map((name) => join(folder, name)) as [string, string, string];
  const create = ['admin', 'key', 'issue', '--game', 'none'];
  // Creates the database, and finds no game in it.
  assert.equal((await runServerCommand({ CHAUFFEUR_DATA: from }, create)).code, 1);
  assert.equal((await runServerCommand({ CHAUFFEUR_DATA: from }, ['backup', backup])).code, 0);
  const { code, stderr } = await runServerCommand({ CHAUFFEUR_DATA: to }, ['restore', backup]);
  assert.equal(code, 0, stderr);
  assert.equal((await runServerCommand({ CHAUFFEUR_DATA: to }, ['verify'])).code, 0);
});
