// What a game has used of its limits on the real server: the storage quota of builds and symbols, and what its owner
// sees and receives by mail.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { forgetMessages } from './setup/alerts.ts';
import { idHeaders, report } from './setup/crashes.ts';
import { assertNothingLeft, leftoversOf } from './setup/leftovers.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { beginRequest } from './setup/raw.ts';
import {
  type ApiResponse,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { debugIdOf, NOTHING_STORED, sendSymbols, storedCountsOf, symText } from './setup/symbols.ts';
import {
  formOf,
  openSession,
  register,
  sendChunk,
  sha256,
  smallZip,
  untilScanned,
  upload,
  uploadFields,
} from './setup/uploads.ts';

const QUOTA = MIB;

/** A valid zip of slightly more than `bytes` that cannot be compressed further. */
function zipOf(bytes: number): Buffer {
  return smallZip('noise.bin', randomBytes(bytes));
}

/** A symbol file that takes about `bytes` even when compressed. */
function noisySymbols(file: string, bytes: number): Buffer {
  const records = randomBytes(bytes / 2)
    .toString('hex')
    .replace(/.{64}/g, 'PUBLIC 10 0 $&\n');
  return Buffer.concat([
    symText({ file, debugId: debugIdOf(file) }),
    Buffer.from(`${records.slice(0, records.lastIndexOf('\n') + 1)}`),
  ]);
}

function assertFull({ status, body }: ApiResponse): void {
  assert.deepEqual([status, body.error?.code], [403, 4292], JSON.stringify(body));
  assert.match(body.error?.message ?? '', /1\.0 MiB of storage/);
  assert.equal(body.error?.data.limit_bytes, QUOTA);
}

describe('the storage quota of a game', () => {
  let server: TestServer;
  before(async () => {
    const env = { CHAUFFEUR_LIMIT_STORAGE_MB: '1', CHAUFFEUR_LIMIT_PUBLIC: '0' };
    server = await startServer({ env });
  });
  after(() => server.stop());

  async function send(game: TestGame, buildId: string, zip: Buffer): Promise<ApiResponse> {
    return upload(server, game, formOf(uploadFields(buildId, zip), zip));
  }

  async function open(game: TestGame, buildId: string, bytes: number): Promise<ApiResponse> {
    const fields = { filename: 'game.zip', total_size: String(bytes), ...uploadFields(buildId, Buffer.alloc(1)) };
    return openSession(server, game, fields);
  }

  async function usageOf(game: TestGame) {
    const headers = await signIn(server, game.owner);
    const { status, body } = await request(`${server.api}/games/${game.uid}/usage`, { headers });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }

  test('refuses a single upload that does not fit and keeps nothing of it', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    assertFull(await send(game, buildId, zipOf(QUOTA + 1)));
    await assertNothingLeft(server, game);
    const zip = zipOf(QUOTA / 2);
    assert.equal((await send(game, buildId, zip)).status, 201);
    assertFull(await send(game, buildId, zip));
    const { storage } = await usageOf(game);
    assert.deepEqual(storage, {
      used_bytes: zip.length,
      limit_bytes: QUOTA,
      builds_bytes: zip.length,
      sessions_bytes: 0,
      symbols_bytes: 0,
      event_files_bytes: 0,
      videos_bytes: 0,
      patches_bytes: 0,
    });
  });

  test('accepts as many concurrent uploads as fit', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(game, buildId, zipOf(400_000))));
    assert.equal(responses.filter(({ status }) => status === 201).length, 2);
    for (const response of responses) if (response.status !== 201) assertFull(response);
    // Scans write manifests at any time.
    const { blobs } = await leftoversOf(server, game);
    assert.equal(blobs.filter((key) => key.endsWith('.zip')).length, 2);
  });

  test('refuses an upload by its announced length before its bytes are read', async () => {
    const game = await makeGame(server);
    const headers = [
      ...Object.entries(game.keyHeaders),
      ['content-type', 'multipart/form-data; boundary=B'],
      ['content-length', String(64 * MIB)],
    ] as const;
    const socket = await beginRequest(server, { method: 'POST', path: '/api/v1/tool/upload/files', headers });
    try {
      const [response] = (await once(socket, 'data')) as [Buffer];
      assert.match(response.toString(), /^HTTP\/1\.1 403 /);
      assert.match(response.toString(), /"code":4292/);
    } finally {
      socket.destroy();
    }
  });

  test('counts a session at its full size from opening until it is aborted', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    assertFull(await open(game, buildId, QUOTA + 1));
    const responses = await Promise.all(Array.from({ length: 4 }, () => open(game, buildId, 400_000)));
    const opened = responses.filter(({ status }) => status === 201);
    assert.equal(opened.length, 2);
    assert.equal((await usageOf(game)).storage.sessions_bytes, 800_000);
    assertFull(await send(game, buildId, zipOf(400_000)));
    const { session_id } = opened[0]!.body.data;
    await request(`${server.api}/tool/upload/sessions/${session_id}`, { method: 'DELETE', headers: game.keyHeaders });
    assert.equal((await send(game, buildId, zipOf(400_000))).status, 201);
  });

  test('lets a session with reserved space complete and counts it once', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const zip = zipOf(QUOTA - 200_000);
    const fields = { filename: 'game.zip', total_size: String(zip.length), ...uploadFields(buildId, zip) };
    const { session_id } = (await openSession(server, game, fields)).body.data;
    assert.equal((await sendChunk(server, game, session_id, zip, 0, zip.length)).status, 201);
    const { storage } = await usageOf(game);
    assert.deepEqual([storage.builds_bytes, storage.sessions_bytes], [zip.length, 0]);
  });

  test('counts symbols at their stored size, and refuses symbols that do not fit', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    assertFull(await sendSymbols(server, game, buildId, noisySymbols('huge.so', 3 * MIB)));
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
    // Far larger than the quota, but small when compressed.
    const lines = Array.from({ length: 60_000 }, (_, no) => `PUBLIC ${(no * 16).toString(16)} 0 game::step\n`).join('');
    const large = Buffer.concat([symText({ file: 'large.so' }), Buffer.from(lines)]);
    assert.ok(large.length > QUOTA);
    assert.equal((await sendSymbols(server, game, buildId, large)).status, 201);
    const { symbols_bytes } = (await usageOf(game)).storage;
    assert.ok(symbols_bytes > 0 && symbols_bytes < QUOTA);
    const responses = await Promise.all(
      ['a.so', 'b.so', 'c.so'].map((file) => sendSymbols(server, game, buildId, noisySymbols(file, MIB / 2))),
    );
    assert.ok(responses.some(({ status }) => status === 403));
    for (const response of responses) if (response.status !== 201) assertFull(response);
  });

  test('is freed when a build is deleted, and excludes files that the scan rejected', async () => {
    const game = await makeGame(server);
    const headers = { ...(await signIn(server, game.owner)), 'content-type': 'application/json' };
    const buildId = await register(server, game);
    const sent = await send(game, buildId, zipOf(800_000));
    assert.equal(sent.status, 201);
    await untilScanned(server, game, sent.body.data.file_uid);
    const other = await register(server, game, { version: '2.0.0' });
    assertFull(await send(game, other, zipOf(800_000)));
    await changed(server.ctx.db, sql`update files set scan_state = 'infected' where game_id = ${game.uid}`);
    assert.equal((await usageOf(game)).storage.used_bytes, 0);
    await changed(server.ctx.db, sql`update files set scan_state = 'clean' where game_id = ${game.uid}`);
    const address = `${server.api}/games/${game.uid}/builds/${buildId}`;
    const plan = await request(`${address}/deletion`, { headers });
    const deleted = await request(address, {
      method: 'DELETE',
      headers,
      body: JSON.stringify({ basis: plan.body.data?.basis }),
    });
    assert.equal(deleted.body.success, true, JSON.stringify(deleted.body));
    assert.equal((await send(game, other, zipOf(800_000))).status, 201);
  });

  test('sends the owner one mail at 80%, and another when usage reaches it again', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    await send(game, buildId, zipOf(0.7 * QUOTA));
    assert.equal((await send(game, buildId, zipOf(0.15 * QUOTA))).status, 201);
    const mail = await mailTo(server, game.owner.email, /85% of the storage used/);
    assert.match(mail.text, /used, 8\d\d(\.\d)? KiB of 1\.0 MiB/);
    assert.match(mail.link, new RegExp(`/dev/${game.slug}$`));
    assert.equal((await send(game, buildId, zipOf(0.05 * QUOTA))).status, 201);
    const count = async () =>
      (await mailsTo(server, game.owner.email)).filter(({ subject }) => /storage/.test(subject)).length;
    await changed(server.ctx.db, sql`delete from files where game_id = ${game.uid}`);
    await forgetMessages(server, game);
    await send(game, buildId, zipOf(0.1 * QUOTA));
    await send(game, buildId, zipOf(0.83 * QUOTA));
    await mailTo(server, game.owner.email, /93% of the storage used/);
    assert.equal(await count(), 2);
  });

  test('is shown with the daily limits only to members of the game and its deploy key', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const sender = { server, game, buildId };
    const { url } = (await report(sender, { has_dump: true, has_log: true })).body.data.uploads.dump;
    await request(url, { method: 'PUT', body: 'MDMP' });
    await report(sender);
    const { crashes_today } = await usageOf(game);
    assert.deepEqual(crashes_today.reports, { used: 2, limit: 10_000 });
    assert.deepEqual(crashes_today.files, { used: 2, limit: 2000 });
    assert.equal(crashes_today.bytes.limit, 2048 * MIB);
    assert.ok(crashes_today.bytes.used > 0 && crashes_today.bytes.used < 100);
    const info = await request(`${server.api}/tool/info`, { headers: game.keyHeaders });
    assert.deepEqual(info.body.data.usage.crashes_today, crashes_today);
    const stranger = await makePlayer(server);
    for (const [headers, code] of [
      [stranger.headers, 4040],
      [{}, 4011],
      [idHeaders(sender), 4011],
    ] as const) {
      const { body } = await request(`${server.api}/games/${game.uid}/usage`, { headers });
      assert.equal(body.error?.code, code);
    }
  });
});

test('0 lifts the quota', async () => {
  const server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_STORAGE_MB: '0' } });
  try {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const fields = {
      filename: 'game.zip',
      ...uploadFields(buildId, Buffer.alloc(1)),
      checksum: sha256(Buffer.alloc(1)),
    };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => openSession(server, game, { ...fields, total_size: String(LIMITS.fileBytes) })),
    );
    for (const { status, body } of responses) assert.equal(status, 201, JSON.stringify(body));
    const { usage } = (await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).body.data;
    assert.deepEqual([usage.storage.limit_bytes, usage.storage.sessions_bytes], [0, 8 * LIMITS.fileBytes]);
  } finally {
    await server.stop();
  }
});
