// Moving the blobs of a real server between files and S3: everything arrives, is read back, and an interrupted copy
// continues.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFileStore } from '../src/kernel/blobs/filesystem.ts';
import type { BlobStore } from '../src/kernel/blobs/store.ts';
import { copyBlobs } from '../src/operate/backups/copy-blobs.ts';
import { makeFullGame } from './setup/full-game.ts';
import { makeFolder } from './setup/installations.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
import { ship } from './setup/uploads.ts';

let server: TestServer;
let studio: Awaited<ReturnType<typeof makeFullGame>>;
const folders: string[] = [];
before(async () => {
  server = await startServer({ role: 'api' });
  studio = await makeFullGame(server);
});
after(async () => {
  await server.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newStore(): Promise<BlobStore> {
  const folder = await makeFolder();
  folders.push(folder);
  return openFileStore({ folder });
}

test('blobs move to S3 and back, and only new ones are copied again', async (t) => {
  const s3 = await startS3();
  if (s3 === null) return t.skip(S3_MISSING);
  try {
    const environment = { ...environmentOf(server), ...s3.env };
    const copy = async (from: string, to: string) => {
      const { code, stdout, stderr } = await runServerCommand(environment, [
        'blobs',
        'copy',
        '--from',
        from,
        '--to',
        to,
        '--json',
      ]);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const from = join(server.dataFolder, 'blobs');
    // All blobs except the one of the open upload session.
    assert.deepEqual(await copy(from, s3.url), { copied: 15, present: 0 });
    await ship(server, studio.game, { version: '5.0.0' });
    assert.deepEqual(await copy(from, s3.url), { copied: 1, present: 15 });
    const inS3 = { ...environment, CHAUFFEUR_BLOBS: s3.url };
    const { code, stdout } = await runServerCommand(inS3, ['verify', '--json']);
    assert.equal(code, 0, stdout);
    const folder = await makeFolder();
    folders.push(folder);
    assert.deepEqual(await copy(s3.url, folder), { copied: 16, present: 0 });
  } finally {
    await s3.stop();
  }
});

test('an interrupted copy continues', async () => {
  const to = await newStore();
  let puts = 0;
  const failing: BlobStore = {
    ...to,
    async put(key, source) {
      puts += 1;
      if (puts > 5) throw new Error('interrupted');
      return to.put(key, source);
    },
  };
  await assert.rejects(
    copyBlobs(server.ctx.blobs, failing, () => undefined),
    /interrupted/,
  );
  const { copied, present } = await copyBlobs(server.ctx.blobs, to, () => undefined);
  assert.equal(present, 5);
  assert.ok(copied > 5);
});

test('a blob that reads back differently is not kept', async () => {
  const to = await newStore();
  const corrupting: BlobStore = {
    ...to,
    async put(key, source) {
      const chunks = (await Array.fromAsync(source)).map((bytes) => Buffer.from(bytes).fill(0));
      return to.put(
        key,
        (async function* () {
          yield* chunks;
        })(),
      );
    },
  };
  await assert.rejects(
    copyBlobs(server.ctx.blobs, corrupting, () => undefined),
    /reads back differently/,
  );
  assert.deepEqual(await Array.fromAsync(to.list('')), []);
});
