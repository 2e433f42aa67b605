// Upload sessions on the real server: every state transition, and recovery from failures.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { HOUR } from '../src/kernel/clock.ts';
import { sweepSessions } from '../src/ship/uploads/uploads.ts';
import { statusOf } from './setup/api-calls.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { openSession, register, sendChunk, sha256, startSession, uploadFields, zipOfSize } from './setup/uploads.ts';

const MIB = 1024 * 1024;

describe('an upload session', () => {
  let server: TestServer;
  let game: TestGame;
  let now = new Date();

  before(async () => {
    server = await startServer({ clock: { now: () => now } });
    game = await makeGame(server);
  });
  after(() => server.stop());

  /** Names of all files stored for the game, complete or partial. */
  async function blobs(of = game): Promise<string[]> {
    const names = await readdir(join(server.dataFolder, 'blobs', 'files', of.uid)).catch(() => []);
    // Scans write manifests at any time.
    return names.filter((name) => !name.endsWith('.manifest'));
  }

  test('opens with 201 and its fields', async () => {
    const zip = zipOfSize(1000);
    const buildId = await register(server, game);
    const response = await openSession(server, game, {
      filename: 'game.zip',
      total_size: String(zip.length),
      ...uploadFields(buildId, zip),
    });
    assert.equal(response.status, 201);
    const { session_id, expected_size, current_size, expires_at } = response.body.data;
    assert.match(session_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual([expected_size, current_size], [zip.length, 0]);
    assert.equal(Date.parse(expires_at), now.getTime() + 6 * HOUR);
    await sendChunk(server, game, session_id, zip, 0, zip.length);
  });

  test('accepts chunks with 202 and becomes a file with the last one', async () => {
    const zip = zipOfSize(3 * MIB);
    const session = await startSession(server, game, zip);
    const first = await sendChunk(server, game, session, zip, 0, MIB);
    assert.equal(first.status, 202);
    assert.deepEqual(first.body.data, {
      session_id: session,
      current_size: MIB,
      expected_size: zip.length,
      progress: 33.3,
    });
    await sendChunk(server, game, session, zip, MIB, 2 * MIB);
    const last = await sendChunk(server, game, session, zip, 2 * MIB, zip.length);
    assert.equal(last.status, 201);
    assert.equal(last.body.data.checksum, sha256(zip));
    assert.equal(last.body.data.size, zip.length);
    assert.equal('session_id' in last.body.data, false);
  });

  test('gives a repeated last chunk the same response', async () => {
    const zip = zipOfSize(2000);
    const session = await startSession(server, game, zip);
    const first = await sendChunk(server, game, session, zip, 0, zip.length);
    const again = await sendChunk(server, game, session, zip, 0, zip.length);
    assert.equal(again.status, 201);
    assert.equal(again.body.data.file_uid, first.body.data.file_uid);
  });

  test('refuses a repeated or skipped range with 4044, 409 and current_size', async () => {
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip);
    await sendChunk(server, game, session, zip, 0, 1000);
    for (const [start, end] of [
      [0, 1000],
      [2000, 2500],
    ] as const) {
      const response = await sendChunk(server, game, session, zip, start, end);
      assert.equal(response.status, 409);
      assert.equal(response.body.error?.code, 4044);
      assert.equal(response.body.error?.data.current_size, 1000);
      assert.equal(response.body.data.current_size, 1000);
    }
    assert.equal((await sendChunk(server, game, session, zip, 1000, zip.length)).status, 201);
  });

  test('refuses a chunk with a missing or malformed header with 4044 and 400', async () => {
    const zip = zipOfSize(100);
    const session = await startSession(server, game, zip);
    const total = zip.length;
    const wrong: Record<string, string>[] = [
      { 'x-upload-session-id': session },
      { 'content-range': `bytes 0-9/${total}` },
      ...[
        'bytes 0-9',
        'bytes 9-0/100',
        'bytes 0-9/*',
        '0-9/100',
        'bytes 0-100/100',
        'bytes -9/100',
        `bytes 0-9/${total + 1}`,
      ].map((range) => ({
        'x-upload-session-id': session,
        'content-range': range,
      })),
    ];
    for (const headers of wrong) {
      const response = await sendChunk(server, game, session, zip, 0, 10, {
        headers: { ...game.keyHeaders, ...headers },
      });
      assert.deepEqual([response.status, response.body.error?.code], [400, 4044], JSON.stringify(headers));
    }
  });

  test('refuses a body larger than its range with 4043 and a smaller one with 4044, and counts neither', async () => {
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip);
    const headers = {
      ...game.keyHeaders,
      'x-upload-session-id': session,
      'content-range': `bytes 0-999/${zip.length}`,
    };
    const larger = await sendChunk(server, game, session, zip, 0, 1001, { headers });
    assert.deepEqual([larger.status, larger.body.error?.code, larger.body.data.current_size], [413, 4043, 0]);
    const smaller = await sendChunk(server, game, session, zip, 0, 999, { headers });
    assert.deepEqual([smaller.status, smaller.body.error?.code, smaller.body.data.current_size], [400, 4044, 0]);
    assert.equal((await sendChunk(server, game, session, zip, 0, zip.length)).status, 201);
  });

  test('ends with 4046 on a wrong checksum and leaves nothing', async () => {
    const before = await blobs();
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip, { checksum: 'a'.repeat(64) });
    await sendChunk(server, game, session, zip, 0, 1000);
    const response = await sendChunk(server, game, session, zip, 1000, zip.length);
    assert.deepEqual([response.status, response.body.error?.code], [400, 4046]);
    assert.deepEqual(await blobs(), before);
    const later = await sendChunk(server, game, session, zip, 0, 1000);
    assert.deepEqual([later.status, later.body.error?.code], [404, 4045]);
  });

  test('returns 4045 when unknown, of another game or expired, and its bytes are swept', async () => {
    const game = await makeGame(server);
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip);
    await sendChunk(server, game, session, zip, 0, 1000);
    assert.equal((await blobs(game)).length, 1);
    const other = await makeGame(server);
    const codes = async (of: TestGame, id: string) => statusOf(await sendChunk(server, of, id, zip, 1000, 2000));
    assert.deepEqual(await codes(other, session), [404, 4045]);
    assert.deepEqual(await codes(game, 'nonsense'), [404, 4045]);
    now = new Date(now.getTime() + 6 * HOUR);
    assert.deepEqual(await codes(game, session), [404, 4045]);
    await sweepSessions(server.ctx);
    assert.deepEqual(await blobs(game), []);
  });

  test('stays at the last complete chunk when a connection breaks, and can continue immediately', async () => {
    const zip = zipOfSize(2 * MIB);
    const session = await startSession(server, game, zip);
    await sendChunk(server, game, session, zip, 0, MIB);
    const socket = await beginChunk(server, game, session, zip, MIB, zip.length, 500_000);
    socket.destroy();
    const last = await until(async () => {
      const response = await sendChunk(server, game, session, zip, MIB, zip.length);
      return response.body.error?.code === 4047 ? undefined : response;
    });
    assert.equal(last.status, 201);
  });

  test('refuses a concurrent second chunk with 4047 and 409, and counts the first one', async () => {
    const zip = zipOfSize(2 * MIB);
    const session = await startSession(server, game, zip);
    const socket = await beginChunk(server, game, session, zip, 0, zip.length, MIB);
    await until(async () => {
      const { rows } = await lockOf(server, session);
      return rows[0]?.lock_token;
    });
    const second = await sendChunk(server, game, session, zip, 0, zip.length);
    assert.deepEqual([second.status, second.body.error?.code], [409, 4047]);
    assert.ok(second.headers.has('retry-after'));
    socket.write(zip.subarray(MIB));
    socket.write('\r\n--B--\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    assert.match(response.toString(), /^HTTP\/1.1 201/);
    socket.destroy();
  });

  test('lets a retry replace a chunk whose sender is silent but has not disconnected', async () => {
    const zip = zipOfSize(MIB);
    const session = await startSession(server, game, zip);
    const silent = await beginChunk(server, game, session, zip, 0, zip.length, 1000);
    await until(async () => (await lockOf(server, session)).rows[0]?.lock_token);
    const response = await until(async () => {
      const next = await sendChunk(server, game, session, zip, 0, zip.length);
      return next.body.error?.code === 4047 ? undefined : next;
    });
    assert.equal(response.status, 201);
    silent.destroy();
  });

  test('accepts one of many concurrent equal chunks', async () => {
    const zip = zipOfSize(300_000);
    const session = await startSession(server, game, zip);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => sendChunk(server, game, session, zip, 0, 200_000)),
    );
    assert.equal(responses.filter(({ status }) => status === 202).length, 1);
    for (const { status, body } of responses) if (status !== 202) assert.ok([4047, 4044].includes(body.error!.code));
    assert.equal((await sendChunk(server, game, session, zip, 200_000, zip.length)).status, 201);
  });

  test('is released as soon as the database accepts it, if that failed after a refused chunk', async () => {
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip);
    const { db } = server.ctx;
    await sql`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`.execute(db);
    await sql`create trigger full_disk before update on upload_sessions for each row
      when (new.lock_token is null) execute function full_disk()`.execute(db);
    const refused = await sendChunk(server, game, session, zip, 1000, 2000);
    assert.equal(refused.body.error?.code, 4044);
    const locked = await sendChunk(server, game, session, zip, 0, 1000);
    assert.equal(locked.body.error?.code, 4047);
    await sql`drop function full_disk cascade`.execute(db);
    const accepted = await until(async () => {
      const response = await sendChunk(server, game, session, zip, 0, 1000);
      return response.body.error?.code === 4047 ? undefined : response;
    });
    assert.equal(accepted.status, 202);
  });

  test('works across two servers', async () => {
    const second = await startServer({ shareWith: server, role: 'api', clock: { now: () => now } });
    try {
      const zip = zipOfSize(3 * MIB);
      const session = await startSession(server, game, zip);
      await sendChunk(server, game, session, zip, 0, MIB);
      await sendChunk(second, game, session, zip, MIB, 2 * MIB);
      const last = await sendChunk(server, game, session, zip, 2 * MIB, zip.length);
      assert.equal(last.status, 201);
      assert.equal(last.body.data.checksum, sha256(zip));
    } finally {
      await second.stop();
    }
  });

  test('is refused for a wrong checksum even after moving to another server', async () => {
    const second = await startServer({ shareWith: server, role: 'api', clock: { now: () => now } });
    try {
      const zip = zipOfSize(3000);
      const session = await startSession(server, game, zip, { checksum: 'b'.repeat(64) });
      await sendChunk(server, game, session, zip, 0, 1000);
      const last = await sendChunk(second, game, session, zip, 1000, zip.length);
      assert.deepEqual([last.status, last.body.error?.code], [400, 4046]);
    } finally {
      await second.stop();
    }
  });

  test('is listed while open and can be aborted', async () => {
    const zip = zipOfSize(3000);
    const session = await startSession(server, game, zip);
    await sendChunk(server, game, session, zip, 0, 1000);
    const url = `${server.api}/tool/upload/sessions`;
    const list = async () =>
      (await (await fetch(`${url}?checksum=${sha256(zip)}`, { headers: game.keyHeaders })).json()).data.sessions;
    const [listed] = await list();
    assert.deepEqual([listed.session_id, listed.current_size, listed.filename], [session, 1000, 'game.zip']);
    const aborted = await fetch(`${url}/${session}`, { method: 'DELETE', headers: game.keyHeaders });
    assert.equal(aborted.status, 200);
    assert.deepEqual(await list(), []);
    assert.equal((await sendChunk(server, game, session, zip, 1000, 2000)).body.error?.code, 4045);
  });

  test('ends if its bytes are lost, as after a restore, so that the upload starts over', async () => {
    const zip = zipOfSize(4000);
    for (const from of [1000, 3000]) {
      const before = new Set(await blobs());
      const session = await startSession(server, game, zip);
      await sendChunk(server, game, session, zip, 0, from);
      const part = (await blobs()).find((name) => !before.has(name));
      await rm(join(server.dataFolder, 'blobs', 'files', game.uid, part ?? ''));
      const to = from === 1000 ? 2000 : zip.length;
      assert.equal((await sendChunk(server, game, session, zip, from, to)).body.error?.code, 4045);
      assert.equal((await lockOf(server, session)).rows.length, 0);
    }
  });
});

async function lockOf(server: TestServer, session: string) {
  const { sql } = await import('kysely');
  return sql<{
    lock_token: string | null;
  }>`select lock_token from upload_sessions where session_id = ${session}`.execute(server.ctx.db);
}

/** Sends the head of a chunk request and the first `sent` bytes of the chunk, and leaves the connection open. */
async function beginChunk(
  server: TestServer,
  game: TestGame,
  session: string,
  zip: Buffer,
  start: number,
  end: number,
  sent: number,
): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const part =
    '--B\r\nContent-Disposition: form-data; name="file"; filename="chunk"\r\nContent-Type: application/octet-stream\r\n\r\n';
  const length = part.length + (end - start) + '\r\n--B--\r\n'.length;
  const headers = {
    ...game.keyHeaders,
    host: 'chauffeur',
    'x-upload-session-id': session,
    'content-range': `bytes ${start}-${end - 1}/${zip.length}`,
    'content-type': 'multipart/form-data; boundary=B',
    'content-length': String(length),
  };
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/v1/tool/upload/files HTTP/1.1\r\n${head.join('')}\r\n${part}`);
  socket.write(zip.subarray(start, start + sent));
  return socket;
}
