// Uploads that send only what changed: the server composes the zip from the bundle and from earlier files of the game.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { composeBundle } from '../src/ship/uploads/compose.job.ts';
import { sweepBlobs, sweepSessions } from '../src/ship/uploads/uploads.ts';
import { bundleOf, type TestBundle, type Tree } from './setup/bundles.ts';
import { leftoversOf } from './setup/leftovers.ts';
import { type S3Server, startS3 } from './setup/s3.ts';
import { makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { openSession, register, sendChunk, sha256, smallZip, untilScanned } from './setup/uploads.ts';

let s3: S3Server | null;
let local: TestServer;
let servers: readonly (readonly [string, TestServer])[];
before(async () => {
  s3 = await startS3();
  local = await startServer();
  servers = [['files', local]];
  if (s3 === null) return;
  // The AWS SDK reads the credentials from the environment.
  Object.assign(process.env, s3.env);
  servers = [...servers, ['S3', await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } })]];
});
after(async () => {
  for (const [, server] of servers ?? []) await server.stop();
  await s3?.stop();
});

const noise = (bytes: number) => randomBytes(bytes);
const words = (bytes: number) => Buffer.from(noise(bytes).toString('hex').slice(0, bytes));

type Plan = { same_file: { file_uid: string } | null; known_blocks: number; known_bytes: number; missing: string };

async function plan(server: TestServer, game: TestGame, buildId: string, recipe: Uint8Array<ArrayBuffer>) {
  return request(`${server.api}/tool/upload/plans?build_id=${buildId}`, {
    method: 'POST',
    headers: { ...game.keyHeaders, 'content-type': 'application/octet-stream' },
    body: recipe,
  });
}

type Session = { state: string; file: { file_uid: string; checksum: string } | null; error: null | { code: number } };

async function readSession(server: TestServer, game: TestGame, id: string): Promise<Session> {
  const { body } = await request(`${server.api}/tool/upload/sessions/${id}`, { headers: game.keyHeaders });
  return body.data;
}

async function openBundle(server: TestServer, game: TestGame, buildId: string, bundle: Buffer): Promise<string> {
  const opened = await openSession(server, game, {
    ...{ build_id: buildId, os: 'linux', arch: 'x86_64', channel: 'stable' },
    ...{ checksum: sha256(bundle), filename: 'game.zip', total_size: String(bundle.length), format: 'blocks' },
  });
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  return opened.body.data.session_id;
}

/** Sends a bundle, and returns the session once it has ended. */
async function send(server: TestServer, game: TestGame, buildId: string, bundle: Buffer<ArrayBuffer>) {
  const id = await openBundle(server, game, buildId, bundle);
  assert.equal((await readSession(server, game, id)).state, 'receiving');
  const half = Math.floor(bundle.length / 2);
  assert.equal((await sendChunk(server, game, id, bundle, 0, half)).status, 202);
  const last = await sendChunk(server, game, id, bundle, half, bundle.length);
  assert.deepEqual([last.status, last.body.data], [202, { session_id: id, state: 'composing' }]);
  // A client that did not get the response sends the last chunk again.
  assert.equal((await sendChunk(server, game, id, bundle, half, bundle.length)).status, 202);
  let session: Session | undefined;
  await until(async () => {
    session = await readSession(server, game, id);
    return session.state !== 'composing';
  });
  return { id, session: session! };
}

async function download(server: TestServer, game: TestGame, fileUid: string): Promise<Buffer> {
  const response = await fetch(`${server.api}/public/games/${game.uid}/files/${fileUid}/download`);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Unpacks a zip with the system's program. */
async function unzip(zip: Buffer, path: string): Promise<Buffer> {
  const file = join(tmpdir(), `chauffeur-${sha256(zip).slice(0, 16)}.zip`);
  await writeFile(file, zip);
  try {
    execFileSync('python3', ['-m', 'zipfile', '-t', file]);
    return execFileSync('python3', ['-c', READ, file, path], { maxBuffer: 64 * 1024 * 1024 });
  } finally {
    await rm(file);
  }
}
const READ = 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))';

const FIRST: Tree = {
  'data/world.pak': noise(2_000_000),
  'game.bin': words(3_000_000),
  empty: Buffer.alloc(0),
  link: 'game.bin',
  'text/story.txt': words(1000),
};

async function shipBundle(server: TestServer, game: TestGame, version: string, bundle: TestBundle) {
  const buildId = await register(server, game, { version });
  const { body } = await plan(server, game, buildId, bundle.packedRecipe);
  const planned: Plan = body.data;
  const filled = bundle.fill(planned.missing);
  const { session } = await send(server, game, buildId, filled);
  return { planned, session, sent: filled.length, buildId };
}

test('a zip is composed from what was sent and what earlier files have', async () => {
  for (const [kind, server] of servers) {
    const game = await makeGame(server);
    const first = await shipBundle(server, game, '1', bundleOf(FIRST));
    assert.deepEqual([first.planned.known_blocks, first.session.state], [0, 'done'], kind);
    const firstUid = first.session.file!.file_uid;
    assert.equal((await untilScanned(server, game, firstUid)).status, 'unscanned');

    const world = Buffer.concat([noise(1000), FIRST['data/world.pak'] as Buffer]);
    const next: Tree = {
      ...FIRST,
      'data/world.pak': world,
      'moved/game.bin': FIRST['game.bin']!,
      'new.txt': words(500),
    };
    const second = await shipBundle(server, game, '2', bundleOf(next));
    assert.ok(second.sent < 300_000, `${second.sent} bytes sent`);
    assert.ok(second.planned.known_bytes > 3_000_000);
    const { file_uid: secondUid, checksum } = second.session.file!;
    assert.equal((await untilScanned(server, game, secondUid)).status, 'unscanned');
    const zip = await download(server, game, secondUid);
    assert.equal(sha256(zip), checksum);
    for (const path of ['data/world.pak', 'moved/game.bin', 'new.txt', 'text/story.txt'])
      assert.ok((await unzip(zip, path)).equals(next[path] as Buffer), path);

    const record = await request(`${server.api}/public/games/${game.uid}/files/${secondUid}/provenance`);
    const { reused } = record.body.data;
    assert.deepEqual(reused, [{ file_uid: firstUid, bytes: second.planned.known_bytes }]);

    // The same folder again.
    const again = await plan(server, game, second.buildId, bundleOf(next).packedRecipe);
    assert.equal(again.body.data.same_file.file_uid, secondUid);
    // No bundle is left.
    await until(async () => {
      const keys: string[] = [];
      for await (const { key } of server.ctx.blobs.list(`files/${game.uid}/`)) keys.push(key);
      return keys.filter((key) => !key.endsWith('.manifest')).length === 2;
    });
  }
});

test('a block that is gone in the meantime is an error that the command knows', async () => {
  const game = await makeGame(local);
  const first = await shipBundle(local, game, '1', bundleOf(FIRST));
  await untilScanned(local, game, first.session.file!.file_uid);
  const buildId = await register(local, game, { version: '2' });
  const bundle = bundleOf({ ...FIRST, 'new.txt': words(500) });
  const planned = await plan(local, game, buildId, bundle.packedRecipe);
  await changed(local.ctx.db, sql`delete from files where game_id = ${game.uid}`);
  const { session } = await send(local, game, buildId, bundle.fill(planned.body.data.missing));
  assert.deepEqual([session.state, session.error?.code], ['failed', 4053]);
  // The bundle is deleted once the session has ended.
  await until(async () => (await leftoversOf(local, game)).blobs.every((name) => !name.endsWith('.bundle')));
});

test('blocks of other games are unknown', async () => {
  const [game, other] = [await makeGame(local), await makeGame(local)];
  const first = await shipBundle(local, game, '1', bundleOf(FIRST));
  await untilScanned(local, game, first.session.file!.file_uid);
  const buildId = await register(local, other);
  const { body } = await plan(local, other, buildId, bundleOf(FIRST).packedRecipe);
  assert.equal(body.data.known_blocks, 0);
  // Nor can it be used without asking.
  const bundle = bundleOf(FIRST);
  const nothing = Buffer.alloc(Math.ceil(bundle.recipe.blocks.count / 8));
  const { session } = await send(local, other, buildId, bundle.fill(nothing.toString('base64')));
  assert.equal(session.error?.code, 4053);
});

test('hostile recipes and bundles are refused, and leave nothing', async () => {
  const game = await makeGame(local);
  const buildId = await register(local, game);
  const bundle = bundleOf(FIRST);
  for (const bad of [Buffer.alloc(0), noise(100), bundle.packedRecipe.subarray(0, 100), smallZip()]) {
    const { status, body } = await plan(local, game, buildId, Buffer.from(bad));
    assert.deepEqual([status, body.error?.code], [400, 4037]);
  }
  const whole = bundle.fill();
  const flipped = Buffer.from(whole);
  flipped[whole.length - 100]! ^= 1;
  const evil = bundleOf({ '../evil': words(100) }).fill();
  for (const bad of [whole.subarray(0, -1), Buffer.concat([whole, noise(1)]), flipped, evil, smallZip(), noise(5000)]) {
    const { session } = await send(local, game, buildId, Buffer.from(bad));
    assert.deepEqual([session.state, session.error?.code], ['failed', 4041]);
  }
  // The last bundle is deleted after its session has failed.
  await until(async () => (await leftoversOf(local, game)).blobs.length === 0);
  assert.equal((await leftoversOf(local, game)).files, 0);
});

test('a format of another type is refused, not ignored', async () => {
  const game = await makeGame(local);
  const buildId = await register(local, game);
  const fields = { build_id: buildId, os: 'linux', arch: 'x86_64', channel: 'stable', checksum: 'a'.repeat(64) };
  for (const format of [['blocks'], { zip: 1 }, 1, true, 'tar', '']) {
    const { status, body } = await request(`${local.api}/tool/upload/sessions`, {
      method: 'POST',
      headers: { ...game.keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ ...fields, filename: 'game.zip', total_size: 100, format }),
    });
    assert.deepEqual([status, body.error?.code], [400, 4037], JSON.stringify(format));
  }
});

test('many plans at once are queued', async () => {
  const game = await makeGame(local);
  const buildId = await register(local, game);
  const { packedRecipe } = bundleOf(FIRST);
  const plans = await Promise.all(Array.from({ length: 12 }, () => plan(local, game, buildId, packedRecipe)));
  assert.ok(plans.every(({ status }) => status === 200));
});

test('two workers that compose the same bundle make one file', async () => {
  const quiet = await startServer({ role: 'api' });
  try {
    const game = await makeGame(quiet);
    const buildId = await register(quiet, game);
    const bundle = bundleOf(FIRST).fill();
    const id = await openBundle(quiet, game, buildId, bundle);
    await sendChunk(quiet, game, id, bundle, 0, bundle.length);
    const payload = { gameId: game.uid, sessionId: id };
    const attempt = { number: 1, last: false, signal: new AbortController().signal };
    await Promise.all([1, 2, 3].map(() => composeBundle(quiet.ctx, payload, attempt)));
    const { blobs, files } = await leftoversOf(quiet, game);
    assert.equal(files, 1);
    const { file } = await readSession(quiet, game, id);
    assert.deepEqual(blobs, [`${file?.file_uid}.zip`]);
  } finally {
    await quiet.stop();
  }
});

test('a session that expires while its zip is composed is kept for a day', async () => {
  let hours = 0;
  const clock = { now: () => new Date(Date.now() + hours * 3_600_000) };
  const quiet = await startServer({ role: 'api', clock, env: { CHAUFFEUR_SESSION_HOURS: '1' } });
  try {
    const game = await makeGame(quiet);
    const bundle = bundleOf(FIRST).fill();
    const sent = async (version: string) => {
      const id = await openBundle(quiet, game, await register(quiet, game, { version }), bundle);
      await sendChunk(quiet, game, id, bundle, 0, bundle.length);
      return id;
    };
    const [composed, forgotten] = [await sent('1'), await sent('2')];
    hours = 2;
    await sweepSessions(quiet.ctx);
    assert.equal((await readSession(quiet, game, composed)).state, 'composing');
    const attempt = { number: 1, last: false, signal: new AbortController().signal };
    await composeBundle(quiet.ctx, { gameId: game.uid, sessionId: composed }, attempt);
    assert.equal((await readSession(quiet, game, composed)).state, 'done');
    hours = 26;
    await sweepSessions(quiet.ctx);
    assert.equal(await readSession(quiet, game, forgotten), undefined);
    assert.equal((await leftoversOf(quiet, game)).sessions, 0);
    await sweepBlobs({ ...quiet.ctx, clock: { now: () => new Date(Date.now() + 50 * 3_600_000) } });
    assert.equal((await leftoversOf(quiet, game)).blobs.length, 1);
  } finally {
    await quiet.stop();
  }
});
