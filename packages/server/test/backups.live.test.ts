// Backing up a server that is in use: requests go on, deletions wait, and a killed backup harms nothing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { openFileStore } from '../src/kernel/blobs/filesystem.ts';
import type { BlobStore } from '../src/kernel/blobs/store.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { backUp } from '../src/operate/backups/backup.ts';
import { deleteHeldBlobs } from '../src/operate/backups/backups.ts';
import { verifyBlobs } from '../src/operate/backups/verify.ts';
import { callApi } from './setup/api-calls.ts';
import { type CrashSender, makeSender, reportWithDump } from './setup/crashes.ts';
import { assertAccepted, send } from './setup/events.ts';
import { type FullGame, listBlobKeysOf, makeFullGame } from './setup/full-game.ts';
import {
  backUpTo,
  differingBlobs,
  makeFolder,
  makePlace,
  type Place,
  restoreFrom,
  serve,
} from './setup/installations.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { environmentOf, startServerCommand } from './setup/server-command.ts';
import { until } from './setup/until.ts';
import { ship, zipOfSize } from './setup/uploads.ts';

const SILENT = { progress: () => undefined, problem: (line: string) => assert.fail(line) };
const ENOUGH = 5;

let server: TestServer;
let sender: CrashSender;
const folders: string[] = [];
const restored: { server: TestServer; place: Place }[] = [];

before(async () => {
  const env = { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_CRASHES: '0' };
  server = await startServer({ env });
  sender = await makeSender(server);
});
after(async () => {
  for (const copy of restored) {
    await copy.server.stop();
    await copy.place.remove();
  }
  await server.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await makeFolder();
  folders.push(folder);
  return folder;
}

async function restoreElsewhere(address: string): Promise<TestServer> {
  const place = await makePlace();
  const { code, stderr } = await restoreFrom(address, place);
  assert.equal(code, 0, stderr);
  const copy = await serve(place);
  restored.push({ server: copy, place });
  return copy;
}

async function assertIntact(installation: TestServer): Promise<void> {
  const silent = { problem: () => undefined, orphan: () => undefined };
  assert.deepEqual((await verifyBlobs(installation.ctx, installation.app.pool, silent)).problems, []);
}

const dump = () => Buffer.concat([Buffer.from('MDMP'), randomBytes(20_000)]);

async function countHeld(): Promise<number> {
  return (await onlyRow(server.ctx.db, sql<{ count: number }>`select count(*) as count from held_deletions`)).count;
}

/** Stops a backup at its first blob until `resume` is called. */
function pausedAtFirstBlob(folder: string): { target: BlobStore; paused: Promise<void>; resume: () => void } {
  const store = openFileStore({ folder });
  const [gate, arrival] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const target: BlobStore = {
    ...store,
    async put(key, source) {
      if (key.startsWith('blobs/')) {
        arrival.resolve();
        await gate.promise;
      }
      return store.put(key, source);
    },
  };
  return { target, paused: arrival.promise, resume: gate.resolve };
}

test('everything that was acknowledged before the backup is restored, while writes continue', async () => {
  const stored = { files: [] as string[], crashes: [] as string[], events: [] as string[] };
  let isWriting = true;
  async function write(work: (number: number) => Promise<void>): Promise<void> {
    for (let number = 0; isWriting; number += 1) await work(number);
  }
  const writers = [
    write(async (number) => {
      const { fileUid } = await ship(server, sender.game, { version: `2.0.${number}` }, zipOfSize(50_000));
      stored.files.push(fileUid);
    }),
    write(async () => void stored.crashes.push(await reportWithDump(sender, dump()))),
    write(async (number) => {
      const eventId = `event-${number}`;
      assertAccepted(await send(sender, { event: 'custom', event_id: eventId, device_uid: 'd' }), 1);
      stored.events.push(eventId);
    }),
    // Another game's reports are deleted all the time.
    write(async () => {
      const other = await makeSender(server);
      const reportId = await reportWithDump(other, dump());
      await server.ctx.blobs.put(`crashes/unrelated-${reportId}`, bytesOfBuffer(dump()));
      await server.ctx.blobs.delete(`crashes/unrelated-${reportId}`);
    }),
  ];
  await until(async () => Object.values(stored).every(({ length }) => length >= ENOUGH));
  const acknowledged = structuredClone(stored);
  const target = await newFolder();
  const { code, stdout, stderr } = await backUpTo(target, server);
  const [before, later] = [acknowledged.crashes.length, stored.crashes.length];
  assert.equal(code, 0, stdout + stderr);
  assert.ok(later > before, 'no report was stored during the backup');
  isWriting = false;
  await Promise.all(writers);
  const copy = await restoreElsewhere(target);
  await assertIntact(copy);
  const [files, crashes, events] = [
    sql<{
      id: string;
      key: string;
    }>`select file_id as id, blob_key as key from files where file_id = any(${acknowledged.files}::uuid[]) order by 1`,
    sql<{
      id: string;
      key: string;
    }>`select report_id as id, dump_key as key from crash_reports where report_id = any(${acknowledged.crashes}::uuid[]) order by 1`,
    sql<{ id: string }>`select event_id as id from events where event_id = any(${acknowledged.events}) order by 1`,
  ];
  for (const [query, ids] of [
    [files, acknowledged.files],
    [crashes, acknowledged.crashes],
  ] as const) {
    const found = await rows(copy.ctx.db, query);
    assert.deepEqual(
      found.map(({ id }) => id),
      ids.toSorted(),
    );
    assert.deepEqual(await rows(server.ctx.db, query), found);
    assert.deepEqual(
      await differingBlobs(
        server,
        copy,
        found.map(({ key }) => key),
      ),
      [],
    );
  }
  assert.equal((await rows(copy.ctx.db, events)).length, acknowledged.events.length);
  assert.equal(await countHeld(), 0);
});

test('blobs that are deleted during a backup are in it, and are deleted afterwards', async (t) => {
  const studio: FullGame = await makeFullGame(server);
  const keys = await listBlobKeysOf(server, studio.game.uid);
  const reportId = await reportWithDump({ ...sender, game: studio.game, buildId: studio.buildId }, dump());
  const folder = await newFolder();
  const { target, paused, resume } = pausedAtFirstBlob(folder);
  t.after(resume);
  const running = backUp(server.ctx, server.app.pool, target, { keep: null, report: SILENT });
  await paused;
  const deletion = { name: studio.name, password: studio.game.owner.password };
  const path = `/games/${studio.game.uid}`;
  assert.equal((await callApi(server, studio.owner, 'DELETE', `${path}/crashes/${reportId}`)).status, 200);
  assert.equal((await callApi(server, studio.owner, 'POST', `${path}/deletion`, deletion)).status, 202);
  await until(async () => (await countHeld()) >= keys.length);
  // Uploads do not wait.
  await ship(server, sender.game, { version: '3.0.0' });
  assert.deepEqual(
    (await listBlobKeysOf(server, studio.game.uid)).filter((key) => !keys.includes(key)),
    [],
  );
  await deleteHeldBlobs(server.ctx);
  assert.ok((await countHeld()) >= keys.length);
  resume();
  await running;
  assert.equal(await countHeld(), 0);
  for (const key of keys) assert.equal(await server.ctx.blobs.stat(key), null, key);
  const copy = await restoreElsewhere(folder);
  await assertIntact(copy);
  const report = sql<{ count: number }>`select count(*) as count from crash_reports where report_id = ${reportId}`;
  assert.equal((await onlyRow(copy.ctx.db, report)).count, 1);
});

test('only one backup runs at a time, and a failed one lets deletions continue', async (t) => {
  const { target, paused, resume } = pausedAtFirstBlob(await newFolder());
  const failing: BlobStore = {
    ...target,
    async put(key, source) {
      if (key.endsWith('manifest.json')) throw new Error('the disk is gone');
      return target.put(key, source);
    },
  };
  t.after(resume);
  const running = backUp(server.ctx, server.app.pool, failing, { keep: null, report: SILENT });
  await paused;
  const key = 'crashes/held';
  await server.ctx.blobs.put(key, bytesOfBuffer(dump()));
  await server.ctx.blobs.delete(key);
  assert.notEqual(await server.ctx.blobs.stat(key), null);
  resume();
  await assert.rejects(running, /the disk is gone/);
  await until(async () => {
    await deleteHeldBlobs(server.ctx);
    return (await server.ctx.blobs.stat(key)) === null;
  });
  assert.equal(await countHeld(), 0);
});

test('a killed backup is not taken for a whole one; the next one continues with its blobs', async () => {
  for (let number = 0; number < 10; number += 1)
    await ship(server, sender.game, { version: `4.${number}.0` }, zipOfSize(6_000_000));
  const folder = await newFolder();
  const { child, ended } = startServerCommand(environmentOf(server), ['backup', folder]);
  await until(
    async () => (await readdir(join(folder, 'blobs', 'files'), { recursive: true }).catch(() => [])).length > 3,
  );
  child.kill('SIGKILL');
  await ended;
  const manifests = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('manifest.json'));
  assert.deepEqual(manifests, []);
  const place = await makePlace();
  const refused = await restoreFrom(folder, place);
  await place.remove();
  assert.deepEqual([refused.code, refused.stderr], [1, `error: There is no complete backup in ${folder}.\n`]);
  const key = 'crashes/after-kill';
  await server.ctx.blobs.put(key, bytesOfBuffer(dump()));
  await until(async () => {
    await server.ctx.blobs.delete(key);
    return (await server.ctx.blobs.stat(key)) === null;
  });
  const again = await backUpTo(folder, server);
  assert.equal(again.code, 0, again.stderr);
  await assertIntact(await restoreElsewhere(folder));
  await access(join(folder, 'blobs'));
});
