// Upload limits on the real server: uses per hour (4290), open sessions (4291), and 0 to lift each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { leftoversOf } from './setup/leftovers.ts';
import { type ApiResponse, makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  formOf,
  openSession,
  register,
  sendChunk,
  smallZip,
  startSession,
  upload,
  uploadFields,
  zipOfSize,
} from './setup/uploads.ts';

const zip = smallZip();
const MAX_SESSIONS = 8;

type Target = { server: TestServer; game: TestGame; buildId: string };

async function uploadTo({ server, game, buildId }: Target): Promise<ApiResponse> {
  return upload(server, game, formOf(uploadFields(buildId, zip), zip));
}

function openFor({ server, game, buildId }: Target): Promise<ApiResponse> {
  const fields = { filename: 'game.zip', total_size: String(zip.length), ...uploadFields(buildId, zip) };
  return openSession(server, game, fields);
}

async function makeTarget(server: TestServer): Promise<Target> {
  const game = await makeGame(server);
  return { server, game, buildId: await register(server, game) };
}

/** Asserts a limit's refusal whose `retry_after` is `seconds`, in the header and in both data objects. */
function assertLimited(response: ApiResponse, code: 4290 | 4291, seconds?: number): void {
  const { status, headers, body } = response;
  assert.deepEqual([status, body.error?.code], [429, code], JSON.stringify(body));
  const retryAfter = Number(headers.get('retry-after'));
  assert.ok(Number.isInteger(retryAfter) && retryAfter > 0, String(retryAfter));
  assert.deepEqual([body.data, body.error?.data], [{ retry_after: retryAfter }, { retry_after: retryAfter }]);
  if (seconds !== undefined) assert.equal(retryAfter, seconds);
}

describe('the hourly limits', () => {
  const start = new Date('2026-11-21T10:59:30Z');
  let now = start;
  let server: TestServer;

  before(async () => {
    const env = { CHAUFFEUR_LIMIT_UPLOADS: '2', CHAUFFEUR_LIMIT_CHUNKS: '2' };
    server = await startServer({ role: 'api', clock: { now: () => now }, env });
  });
  after(() => server.stop());

  test('count single uploads and opened sessions together, and reset in the next window', async () => {
    now = start;
    const target = await makeTarget(server);
    assert.equal((await uploadTo(target)).status, 201);
    assert.equal((await openFor(target)).status, 201);
    const kept = await leftoversOf(server, target.game);
    assertLimited(await uploadTo(target), 4290, 30);
    const session = await openFor(target);
    assertLimited(session, 4290, 30);
    assert.match(session.body.error?.message ?? '', /limit of 2 uploads an hour\. Try again in 30 s/);
    assert.deepEqual(await leftoversOf(server, target.game), kept);
    now = new Date(start.getTime() + 30_000);
    assert.equal((await uploadTo(target)).status, 201);
    assert.equal((await openFor(target)).status, 201);
    assertLimited(await openFor(target), 4290, HOUR / 1000);
  });

  test('count each game separately', async () => {
    const [one, other] = [await makeTarget(server), await makeTarget(server)];
    await Promise.all([uploadTo(one), uploadTo(one)]);
    assertLimited(await uploadTo(one), 4290);
    assert.equal((await uploadTo(other)).status, 201);
  });

  test('allow exactly the limit when all requests are concurrent', async () => {
    const target = await makeTarget(server);
    const responses = await Promise.all(Array.from({ length: 8 }, () => uploadTo(target)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 2);
    for (const response of responses) if (response.status !== 201) assertLimited(response, 4290);
  });

  test('count chunks, and a refused chunk does not change its session', async () => {
    now = start;
    const { game } = await makeTarget(server);
    const large = zipOfSize(3000);
    const session = await startSession(server, game, large);
    assert.equal((await sendChunk(server, game, session, large, 0, 1000)).status, 202);
    assert.equal((await sendChunk(server, game, session, large, 1000, 2000)).status, 202);
    const refused = await sendChunk(server, game, session, large, 2000, large.length);
    assertLimited(refused, 4290, 30);
    assert.match(refused.body.error?.message ?? '', /limit of 2 chunks an hour/);
    now = new Date(start.getTime() + MINUTE);
    assert.equal((await sendChunk(server, game, session, large, 2000, large.length)).status, 201);
  });
});

describe('the limit on open sessions', () => {
  let now = new Date();
  let server: TestServer;

  before(async () => {
    const env = { CHAUFFEUR_LIMIT_UPLOADS: '0' };
    server = await startServer({ role: 'api', clock: { now: () => now }, env });
  });
  after(() => server.stop());

  /** Opens as many sessions as allowed and returns their ids. */
  async function fill(target: Target): Promise<string[]> {
    const responses = await Promise.all(Array.from({ length: MAX_SESSIONS }, () => openFor(target)));
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]));
    return responses.map(({ body }) => body.data.session_id);
  }

  test('refuses the ninth session with 4291 and keeps nothing of it', async () => {
    const target = await makeTarget(server);
    await fill(target);
    assertLimited(await openFor(target), 4291);
    const { blobs, sessions } = await leftoversOf(server, target.game);
    assert.deepEqual([blobs.length, sessions], [MAX_SESSIONS, MAX_SESSIONS]);
  });

  test('allows exactly eight of many concurrent sessions', async () => {
    const target = await makeTarget(server);
    const responses = await Promise.all(Array.from({ length: 20 }, () => openFor(target)));
    assert.equal(responses.filter(({ status }) => status === 201).length, MAX_SESSIONS);
    for (const response of responses) if (response.status !== 201) assertLimited(response, 4291);
    const { blobs, sessions } = await leftoversOf(server, target.game);
    assert.deepEqual([blobs.length, sessions], [MAX_SESSIONS, MAX_SESSIONS]);
  });

  test('allows another session after one is completed', async () => {
    const target = await makeTarget(server);
    const [first = ''] = await fill(target);
    assert.equal((await sendChunk(server, target.game, first, zip, 0, zip.length)).status, 201);
    assert.equal((await openFor(target)).status, 201);
    assertLimited(await openFor(target), 4291);
  });

  test('allows another session after one is aborted', async () => {
    const target = await makeTarget(server);
    const [first] = await fill(target);
    const url = `${server.api}/tool/upload/sessions/${first}`;
    assert.equal((await request(url, { method: 'DELETE', headers: target.game.keyHeaders })).status, 200);
    assert.equal((await openFor(target)).status, 201);
    assertLimited(await openFor(target), 4291);
  });

  test('allows other sessions after they expire, even before they are swept', async () => {
    const target = await makeTarget(server);
    await fill(target);
    now = new Date(now.getTime() + 6 * HOUR - 1);
    assertLimited(await openFor(target), 4291);
    now = new Date(now.getTime() + 1);
    await fill(target);
    assertLimited(await openFor(target), 4291);
  });

  test('counts each game separately', async () => {
    const [one, other] = [await makeTarget(server), await makeTarget(server)];
    await fill(one);
    assert.equal((await openFor(other)).status, 201);
  });
});

test('0 lifts every limit', async () => {
  const names = ['UPLOADS', 'CHUNKS', 'SESSIONS'].map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0']);
  const server = await startServer({ role: 'api', env: Object.fromEntries(names) });
  try {
    const target = await makeTarget(server);
    const sessions = await Promise.all(Array.from({ length: MAX_SESSIONS + 4 }, () => openFor(target)));
    for (const { status, body } of sessions) {
      assert.equal(status, 201);
      const response = await sendChunk(server, target.game, body.data.session_id, zip, 0, 10);
      assert.equal(response.status, 202);
    }
    for (let count = 0; count < 4; count += 1) assert.equal((await uploadTo(target)).status, 201);
  } finally {
    await server.stop();
  }
});
