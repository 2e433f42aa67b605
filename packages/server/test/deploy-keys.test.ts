// Deploy keys on the real server: shown once, stored as hashes, identified by their prefix, revoked by the next key.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { statusOf } from './setup/api-calls.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import {
  type ApiResponse,
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { formOf, smallZip, uploadFields } from './setup/uploads.ts';

type Key = { game_uid: string; key_ref: string; access_token: string; secret_key: string };

const logged: string[] = [];
let server: TestServer;
let game: TestGame;
let session: { cookie: string };

before(async () => {
  server = await startServer({ log: createLog('trace', { write: (line: string) => logged.push(line) }) });
  game = await makeGame(server);
  session = await signIn(server, game.owner);
});
after(() => server.stop());

function askForKey(headers: Record<string, string> = session, uid = game.uid): Promise<ApiResponse> {
  return request(`${server.api}/games/${uid}/deploy-keys`, { method: 'POST', headers });
}

async function issueKey(): Promise<Key> {
  const response = await askForKey();
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data;
}

function headersOf(key: Key) {
  return { 'x-access-token': key.access_token, 'x-secret-key': key.secret_key };
}

function tryKey(key: Key): Promise<ApiResponse> {
  return request(`${server.api}/tool/info`, { headers: headersOf(key) });
}

async function listKeys(headers: Record<string, string> = session) {
  const response = await request(`${server.api}/games/${game.uid}/deploy-keys`, { headers });
  return response.body.data.deploy_keys as {
    key_ref: string;
    issued_by: string;
    revoked_at: string | null;
    last_used_at: string | null;
  }[];
}

describe('issuing a deploy key', () => {
  test('returns the token and the secret, and the first 8 characters of the token as its reference', async () => {
    const key = await issueKey();
    assert.equal(key.game_uid, game.uid);
    assert.equal(key.key_ref, key.access_token.slice(0, 8));
    assert.match(key.access_token, /^[A-Za-z0-9]{32}$/);
    assert.match(key.secret_key, /^[A-Za-z0-9]{48}$/);
    assert.equal((await tryKey(key)).body.data.key_ref, key.key_ref);
  });

  test('immediately revokes every earlier key', async () => {
    const first = await issueKey();
    assert.equal((await tryKey(first)).status, 200);
    const second = await issueKey();
    const third = await issueKey();
    for (const revoked of [first, second]) {
      assert.deepEqual(statusOf(await tryKey(revoked)), [401, 4023]);
    }
    assert.equal((await tryKey(third)).status, 200);
  });

  test('refuses an upload with the earlier key right afterwards', async () => {
    const first = await issueKey();
    await issueKey();
    const zip = smallZip();
    const form = formOf(uploadFields(game.uid, zip), zip);
    const url = `${server.api}/tool/upload/files`;
    const response = await request(url, { method: 'POST', headers: headersOf(first), body: form });
    assert.deepEqual(statusOf(response), [401, 4023]);
  });

  test('leaves exactly one valid key when several are issued concurrently', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, issueKey));
    const codes = await Promise.all(keys.map(async (key) => (await tryKey(key)).body.error?.code ?? 'valid'));
    assert.deepEqual(codes.toSorted(), [...Array(5).fill(4023), 'valid']);
    const valid = (await listKeys()).filter(({ revoked_at }) => revoked_at === null);
    assert.deepEqual(
      valid.map(({ key_ref }) => key_ref),
      keys.filter((_, index) => codes[index] === 'valid').map(({ key_ref }) => key_ref),
    );
  });

  test('does not affect the keys of another game', async () => {
    const other = await makeGame(server);
    await issueKey();
    assert.equal((await request(`${server.api}/tool/info`, { headers: other.keyHeaders })).status, 200);
  });

  test('is available to the owner and admins, but not to strangers, visitors or deploy keys', async () => {
    const admin = await makePlayer(server);
    const stranger = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    assert.deepEqual(statusOf(await askForKey(stranger.headers)), [404, 4040]);
    assert.deepEqual(statusOf(await askForKey({})), [401, 4011]);
    assert.deepEqual(statusOf(await askForKey(headersOf(await issueKey()))), [401, 4011]);
    assert.deepEqual(statusOf(await askForKey(admin.headers)), [201, undefined]);
  });
});

describe('an issued deploy key', () => {
  test('is listed by its prefix with its issuer and the times of use and revocation, without secrets', async () => {
    const key = await issueKey();
    const [unused] = await listKeys();
    assert.deepEqual(
      [unused?.key_ref, unused?.issued_by, unused?.revoked_at, unused?.last_used_at],
      [key.key_ref, 'Owner', null, null],
    );
    await tryKey(key);
    const [used] = await listKeys();
    assert.ok(used?.last_used_at);
    await issueKey();
    const all = await listKeys();
    const revoked = all.find(({ key_ref }) => key_ref === key.key_ref);
    assert.ok(revoked?.revoked_at);
    assert.equal(revoked.last_used_at, used.last_used_at);
    const text = JSON.stringify(all);
    assert.ok(!text.includes(key.access_token) && !text.includes(key.secret_key));
  });

  test('does not count as used if its secret is wrong or it is revoked', async () => {
    const key = await issueKey();
    await tryKey({ ...key, secret_key: 'wrong' });
    await issueKey();
    await tryKey(key);
    const listed = (await listKeys()).find(({ key_ref }) => key_ref === key.key_ref);
    assert.equal(listed?.last_used_at, null);
  });

  test('is stored only as hashes and appears in no log line or metric', async () => {
    const key = await issueKey();
    await tryKey(key);
    await tryKey({ ...key, secret_key: `${key.secret_key}x` });
    const wrong = { method: 'POST', headers: { ...headersOf(key), 'content-type': 'application/json' } };
    await request(`${server.api}/tool/upload/build`, { ...wrong, body: `{"version":` });
    await request(`${server.api}/tool/upload/files`, { ...wrong, body: '{}' });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const places = { database: await readWholeDatabase(server.ctx.db), log: logged.join(''), metrics };
    // Make sure that the search works at all.
    assert.ok(places.database.includes(key.key_ref));
    assert.ok(places.log.includes(key.key_ref));
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [key.access_token, key.secret_key]) {
        assert.ok(!text.includes(secret), place);
        assert.ok(!text.includes(Buffer.from(secret).toString('hex')), `${place}, as hex`);
        assert.ok(!text.includes(Buffer.from(secret).toString('base64')), `${place}, as base64`);
      }
    }
  });
});
