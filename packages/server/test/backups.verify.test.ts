// Verifying a real installation with blobs of every kind: intact, missing, damaged, and without a row.
import assert from 'node:assert/strict';
import { readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { verifyBlobs } from '../src/operate/backups/verify.ts';
import { type FullGame, listBlobKeys, makeFullGame } from './setup/full-game.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';

let server: TestServer;
let studio: FullGame;
before(async () => {
  server = await startServer({ role: 'api' });
  studio = await makeFullGame(server);
  // The blob of the studio's deleted build, which the sweep has not deleted yet.
  await age();
  for (const key of (await verify()).orphans) await server.ctx.blobs.delete(key);
});
after(() => server.stop());

const pathOf = (key: string) => join(server.dataFolder, 'blobs', key);

async function verify() {
  const orphans: string[] = [];
  const report = { problem: () => undefined, orphan: (key: string) => void orphans.push(key) };
  const { blobs, problems } = await verifyBlobs(server.ctx, server.app.pool, report);
  return { blobs, problems: problems.map(({ key, problem }) => ({ key, problem })), orphans };
}

async function keyOf(query: ReturnType<typeof sql<{ key: string }>>): Promise<string> {
  return (await onlyRow(server.ctx.db, query)).key;
}

/** Runs `work` on a file of the blob store, and restores the file. */
async function withChanged(key: string, work: (path: string) => Promise<void>, check: () => Promise<void>) {
  const bytes = await readFile(pathOf(key));
  await work(pathOf(key));
  await check();
  await writeFile(pathOf(key), bytes);
}

async function flipLastByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length - 1]! ^= 1;
  await writeFile(path, bytes);
}

const kinds = {
  file: () => keyOf(sql`select blob_key as key from files where file_id = ${studio.fileUid}`),
  image: () => keyOf(sql`select blob_key as key from media where media_id = ${studio.imageUid}`),
  'copy of an image': async () => (await kinds.image()).replace('.jpg', '.480.webp'),
  video: () => keyOf(sql`select blob_key as key from videos where video_id = ${studio.videoUid}`),
  symbols: () => keyOf(sql`select blob_key as key from symbol_texts where game_id = ${studio.game.uid}`),
  dump: () => keyOf(sql`select dump_key as key from crash_reports where game_id = ${studio.game.uid} limit 1`),
  log: () => keyOf(sql`select log_key as key from crash_reports where game_id = ${studio.game.uid} limit 1`),
  stack: () => keyOf(sql`select stack_key as key from crash_reports where game_id = ${studio.game.uid} limit 1`),
};

test('an intact installation has no problems, even with an upload in progress', async () => {
  const { blobs, problems, orphans } = await verify();
  assert.deepEqual([problems, orphans], [[], []]);
  // All blobs except the one of the open session.
  assert.equal(blobs, (await listBlobKeys(server)).length - 1);
});

for (const [name, find] of Object.entries(kinds)) {
  test(`finds a missing ${name}`, async () => {
    const key = await find();
    await withChanged(key, rm, async () => {
      assert.deepEqual((await verify()).problems, [{ key, problem: 'missing' }]);
    });
  });

  test(`finds a truncated ${name}`, async () => {
    const key = await find();
    const { size } = (await server.ctx.blobs.stat(key))!;
    await withChanged(
      key,
      (path) => truncate(path, size - 1),
      async () => {
        assert.deepEqual((await verify()).problems, [{ key, problem: 'damaged' }]);
      },
    );
  });
}

for (const name of ['file', 'symbols'] as const) {
  test(`finds a flipped byte in ${name}`, async () => {
    const key = await kinds[name]();
    await withChanged(key, flipLastByte, async () => {
      assert.deepEqual((await verify()).problems, [{ key, problem: 'damaged' }]);
    });
  });
}

test('the blob of a rejected file may be missing', async () => {
  const key = await kinds.file();
  await changed(server.ctx.db, sql`update files set scan_state = 'infected' where file_id = ${studio.fileUid}`);
  await withChanged(key, rm, async () => assert.deepEqual((await verify()).problems, []));
  await changed(server.ctx.db, sql`update files set scan_state = 'unscanned' where file_id = ${studio.fileUid}`);
});

async function age(): Promise<void> {
  const old = new Date(Date.now() - 2 * DAY);
  for (const key of await listBlobKeys(server)) await utimes(pathOf(key), old, old).catch(() => undefined);
}

test('lists blobs without a row once they are older than a day', async () => {
  await server.ctx.blobs.put('files/lost.zip', bytesOfBuffer(Buffer.from('lost')));
  assert.deepEqual((await verify()).orphans, []);
  await age();
  assert.deepEqual((await verify()).orphans, ['files/lost.zip']);
  await server.ctx.blobs.delete('files/lost.zip');
});

test('the command exits with code 0, or with code 1 and a list', async () => {
  const whole = await runServerCommand(environmentOf(server), ['verify', '--json']);
  assert.equal(whole.code, 0, whole.stderr);
  assert.deepEqual(JSON.parse(whole.stdout).problems, []);
  const key = await kinds.dump();
  await withChanged(key, rm, async () => {
    const { code, stdout } = await runServerCommand(environmentOf(server), ['verify']);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^missing ${key}: `, 'm'));
    assert.match(stdout, /^problems=1$/m);
  });
});
