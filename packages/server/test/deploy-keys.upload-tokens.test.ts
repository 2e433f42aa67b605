// Upload tokens on the real server: they work like a deploy key within their scopes, until they expire or are revoked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { type Operation, pathOf, UPLOAD_SCOPES, type UploadScope } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { beginRequest, fieldPart, filePart, multipartOf, readResponse } from './setup/raw.ts';
import {
  type ApiResponse,
  makeAdmin,
  makePlayer,
  request,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { until } from './setup/until.ts';
import { formOf, register, smallZip, uploadFields } from './setup/uploads.ts';

type Token = { token_id: string; key_ref: string; access_token: string; secret_key: string };
type Input = { name?: string; scopes?: UploadScope[]; days?: number | null };

let now = Date.now();
let server: TestServer;
let game: TestGame;
let owner: { cookie: string };

before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) } });
  ({ game, owner } = await makeOwnedGame(server));
});
after(() => server.stop());

function askForToken(
  { name = 'CI', scopes = ['builds'], days = 90 }: Input = {},
  headers: object = owner,
  uid = game.uid,
) {
  return callApi(server, headers, 'POST', `/games/${uid}/upload-tokens`, { name, scopes, expires_in_days: days });
}

async function createToken(input: Input = {}, headers = owner, uid = game.uid): Promise<Token> {
  const response = await askForToken(input, headers, uid);
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data;
}

const headersOf = (token: Token) => ({ 'x-access-token': token.access_token, 'x-secret-key': token.secret_key });
const readInfo = (token: Token) => request(`${server.api}/tool/info`, { headers: headersOf(token) });
const revoke = (token: Token, headers: object = owner, uid = game.uid) =>
  callApi(server, headers, 'DELETE', `/games/${uid}/upload-tokens/${token.token_id}`);

async function readToken(token: Token) {
  const { body } = await callApi(server, owner, 'GET', `/games/${game.uid}/upload-tokens`);
  return body.data.upload_tokens.find(({ token_id }: Token) => token_id === token.token_id);
}

describe('an upload token', () => {
  test('is accepted like a deploy key, in the headers and as basic credentials, next to the deploy key', async () => {
    const token = await createToken({ name: 'GitHub Actions', scopes: ['symbols', 'builds'] });
    assert.match(token.access_token, /^[A-Za-z0-9]{32}$/);
    assert.equal(token.key_ref, token.access_token.slice(0, 8));
    const basic = Buffer.from(`${token.access_token}:${token.secret_key}`).toString('base64');
    for (const headers of [headersOf(token), { authorization: `Basic ${basic}` }]) {
      const { data } = (await request(`${server.api}/tool/info`, { headers })).body;
      assert.equal(data.key_ref, token.key_ref);
      assert.equal(data.token.name, 'GitHub Actions');
      assert.deepEqual(data.token.scopes, ['builds', 'symbols']);
      assert.equal(data.token.expires_at, new Date(now + 90 * DAY).toISOString());
    }
    assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).body.data.token, null);
  });

  test('gets the codes of a deploy key if half of it is missing, wrong or of another pair', async () => {
    const token = await createToken();
    const other = await createToken();
    const get = async (headers: Record<string, string>) =>
      statusOf(await request(`${server.api}/tool/info`, { headers }));
    assert.deepEqual(await get({ 'x-secret-key': token.secret_key }), [401, 4020]);
    assert.deepEqual(await get({ 'x-access-token': token.access_token }), [401, 4021]);
    assert.deepEqual(await get(headersOf({ ...token, access_token: 'unknown' })), [401, 4022]);
    assert.deepEqual(await get(headersOf({ ...token, secret_key: other.secret_key })), [401, 4024]);
    assert.deepEqual(
      await get({ ...game.keyHeaders, 'x-access-token': token.access_token }),
      [401, 4024],
      'with the secret of the deploy key',
    );
  });

  test('gets 4023 once it is revoked, and only with the correct secret', async () => {
    const token = await createToken();
    assert.equal((await revoke(token)).body.data.state, 'revoked');
    assert.deepEqual(statusOf(await readInfo(token)), [401, 4023]);
    assert.deepEqual(statusOf(await readInfo({ ...token, secret_key: 'wrong' })), [401, 4024]);
    const { revoked_at } = await readToken(token);
    assert.equal((await revoke(token)).body.data.revoked_at, revoked_at);
  });

  for (const path of ['/tool/upload/files', '/tool/upload/symbols', '/tool/media', '/tool/videos'])
    test(`adds nothing by ${path} once it is revoked, even if most of the bytes arrived before`, async () => {
      const token = await createToken({ scopes: ['builds', 'symbols', 'media'] });
      const zip = smallZip();
      const buildId = await register(server, game);
      const parts = Object.entries({ ...uploadFields(buildId, zip), kind: 'cover' })
        .filter(([name]) => path.includes('upload') || name === 'kind')
        .map(([name, value]) => fieldPart(name, String(value)));
      const form = multipartOf([...parts, filePart(zip, { filename: 'game.zip' })]);
      const socket = await beginRequest(server, {
        method: 'POST',
        path: `/api/v1${path}`,
        headers: [
          ...Object.entries(headersOf(token)),
          ['Content-Type', 'multipart/form-data; boundary=B'],
          ['Content-Length', String(form.length)],
        ],
        body: form.subarray(0, -10),
      });
      await until(async () => (await readToken(token)).last_used_at !== null);
      await revoke(token);
      socket.write(form.subarray(-10));
      const response = await readResponse(socket);
      assert.deepEqual([response?.status, response?.body?.error?.code], [401, 4023], response?.text ?? 'no response');
    });

  test('gets 4023 from the time when it expires', async (t) => {
    const token = await createToken({ days: 1 });
    const endless = await createToken({ days: null });
    t.after(() => {
      now -= DAY;
    });
    now += DAY;
    const response = await readInfo(token);
    assert.deepEqual(statusOf(response), [401, 4023]);
    assert.match(response.body.error?.message ?? '', /expired on \d{4}-\d\d-\d\d/);
    assert.equal((await readToken(token)).state, 'expired');
    assert.equal((await readInfo(endless)).status, 200);
  });

  test('shows when and from where it was last used', async () => {
    const token = await createToken();
    assert.deepEqual([(await readToken(token)).last_used_at, (await readToken(token)).last_used_from], [null, null]);
    await readInfo({ ...token, secret_key: 'wrong' });
    assert.equal((await readToken(token)).last_used_at, null);
    await readInfo(token);
    const used = await readToken(token);
    assert.ok(used.last_used_at);
    assert.match(used.last_used_from, /127\.0\.0\.1/);
    await readInfo(token);
    assert.equal((await readToken(token)).last_used_at, used.last_used_at, 'a second use in a minute is not written');
  });

  test('survives a new deploy key, unless the owner asks to revoke the tokens too', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const tokens = [await createToken({}, person, other.uid), await createToken({}, person, other.uid)];
    const issue = (body?: object) => callApi(server, person, 'POST', `/games/${other.uid}/deploy-keys`, body);
    assert.equal((await issue()).body.data.revoked_tokens, 0);
    assert.equal((await readInfo(tokens[0]!)).status, 200);
    assert.equal((await issue({ revoke_tokens: true })).body.data.revoked_tokens, 2);
    for (const token of tokens) assert.deepEqual(statusOf(await readInfo(token)), [401, 4023]);
    assert.equal((await issue({ revoke_tokens: true })).body.data.revoked_tokens, 0);
  });

  test('is listed and revoked for every owner of its game, not only for the first one', async () => {
    const { game: shared, owner: first } = await makeOwnedGame(server);
    const token = await createToken({ name: 'Shared' }, first, shared.uid);
    const second = await makePlayer(server);
    await changed(
      server.ctx.db,
      sql`insert into organisation_members (organisation_id, user_id, role)
        select organisation_id, ${second.id}, 'owner' from games where game_id = ${shared.uid}`,
    );
    const listed = await callApi(server, second.headers, 'GET', '/account/credentials');
    assert.deepEqual(
      listed.body.data.deploy_keys.map(({ upload_token }: { upload_token: string | null }) => upload_token),
      [null, 'Shared'],
    );
    const revoked = await callApi(server, second.headers, 'POST', '/account/credentials/revoke', { deploy_keys: true });
    assert.equal(revoked.body.data.deploy_keys, 2);
    assert.deepEqual(statusOf(await readInfo(token)), [401, 4023]);
  });

  test('is revoked together with the deploy keys of an account, and listed before', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const token = await createToken({ name: 'Night build' }, person, other.uid);
    const { deploy_keys: listed } = (await callApi(server, person, 'GET', '/account/credentials')).body.data;
    assert.deepEqual(
      listed.map((key: { upload_token: string | null }) => key.upload_token),
      [null, 'Night build'],
    );
    const revoked = await callApi(server, person, 'POST', '/account/credentials/revoke', { deploy_keys: true });
    assert.equal(revoked.body.data.deploy_keys, 2);
    assert.deepEqual(statusOf(await readInfo(token)), [401, 4023]);
  });

  test('stops working when its game is deleted', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const token = await createToken({}, person, other.uid);
    const { body } = await callApi(server, person, 'GET', `/games/${other.uid}`);
    const deletion = { name: body.data.name, password: other.owner.password };
    assert.equal((await callApi(server, person, 'POST', `/games/${other.uid}/deletion`, deletion)).status, 202);
    assert.ok([4022, 4023].includes((await readInfo(token)).body.error?.code ?? 0));
  });
});

describe('the scopes of upload tokens', () => {
  const ofKeys = OPERATIONS.filter(({ access }) => access === 'deploy_key');

  test('are declared by every operation for deploy keys, and by no other', () => {
    for (const { id, access, uploadScope } of OPERATIONS)
      assert.equal(uploadScope !== undefined, access === 'deploy_key', id);
    for (const scope of UPLOAD_SCOPES)
      assert.ok(
        ofKeys.some(({ uploadScope }) => uploadScope === scope),
        scope,
      );
  });

  function callAny(operation: Operation, token: Token): Promise<ApiResponse> {
    const id = '0198c0de-0000-7000-8000-000000000000';
    const path = pathOf(operation, { file_uid: id, session_id: id, uid: id, channel: 'stable', build_id: id });
    return callApi(server, headersOf(token), operation.method, path);
  }

  test('refuse exactly the operations of other scopes, with the name of the missing scope', async () => {
    for (const scope of UPLOAD_SCOPES) {
      const token = await createToken({ scopes: [scope] });
      for (const operation of ofKeys) {
        const response = await callAny(operation, token);
        const isAllowed = operation.uploadScope === 'any' || operation.uploadScope === scope;
        assert.equal(response.body.error?.code === 4034, !isAllowed, `${scope} for ${operation.id}`);
        if (isAllowed) continue;
        assert.equal(response.status, 403);
        assert.ok(response.body.error?.message.includes(operation.uploadScope ?? ''));
        assert.deepEqual(response.body.error?.data, { scope: operation.uploadScope });
      }
      await revoke(token);
    }
  });

  test('let only a token for builds read drafts on public routes', async () => {
    const { game: draft, owner: person } = await makeOwnedGame(server, { visibility: 'draft' });
    const read = async (scope: UploadScope) => {
      const token = await createToken({ scopes: [scope] }, person, draft.uid);
      return statusOf(await request(`${server.api}/public/games/${draft.uid}`, { headers: headersOf(token) }));
    };
    assert.deepEqual(await read('builds'), [200, undefined]);
    assert.deepEqual(await read('media'), [403, 4034]);
  });

  test('cannot reach another game', async () => {
    const { game: other } = await makeOwnedGame(server);
    const token = await createToken({ scopes: [...UPLOAD_SCOPES] });
    const zip = smallZip();
    const form = formOf(uploadFields(other.uid, zip), zip);
    const response = await request(`${server.api}/tool/upload/files`, {
      method: 'POST',
      headers: headersOf(token),
      body: form,
    });
    assert.deepEqual(statusOf(response), [404, 4039]);
    await revoke(token);
  });
});

describe('a build uploaded with a token', () => {
  test('names the token to members, and only its reference to players', async () => {
    const token = await createToken({ name: 'Secret CI name', scopes: ['builds', 'channels'] });
    const headers = headersOf(token);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    const { build_id } = (await callApi(server, headers, 'POST', '/tool/upload/build', build)).body.data;
    const zip = smallZip();
    const body = formOf(uploadFields(build_id, zip), zip);
    const sent = await request(`${server.api}/tool/upload/files`, { method: 'POST', headers, body });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const provenance = await request(
      `${server.api}/public/games/${game.uid}/files/${sent.body.data.file_uid}/provenance`,
      { headers: game.keyHeaders },
    );
    assert.deepEqual(provenance.body.data.origin, { type: 'deploy_key', key_ref: token.key_ref });
    const own = await callApi(server, owner, 'GET', `/games/${game.uid}/builds/${build_id}`);
    assert.equal(own.body.data.files[0].upload_token, 'Secret CI name');
    assert.deepEqual(own.body.data.files[0].origin, provenance.body.data.origin);
  });

  test('is promoted and rolled back with the scope for channels, and the history names the token', async () => {
    const token = await createToken({ name: 'Release bot', scopes: ['channels'] });
    const builds = (await callApi(server, game.keyHeaders, 'GET', '/tool/builds')).body.data.builds;
    const { build_id } = builds[0];
    const promote = () => callApi(server, headersOf(token), 'POST', '/tool/channels/beta/promote', { build_id });
    let promoted = await promote();
    for (let tries = 0; promoted.status === 409 && tries < 500; tries += 1) promoted = await promote();
    assert.equal(promoted.body.data?.build_id, build_id, JSON.stringify(promoted.body));
    const listed = await callApi(server, headersOf(token), 'GET', '/tool/channels');
    assert.ok(listed.body.data.channels.some(({ channel }: { channel: string }) => channel === 'beta'));
    const rolledBack = await callApi(server, headersOf(token), 'POST', '/tool/channels/beta/rollback', {});
    assert.deepEqual(statusOf(rolledBack), [409, 4075]);
    const history = await callApi(server, owner, 'GET', `/games/${game.uid}/channels/beta/history`);
    assert.equal(history.body.data.moves[0].by, 'upload token Release bot');
    const unknown = { build_id: '0198c0de-0000-7000-8000-000000000000' };
    const missing = await callApi(server, headersOf(token), 'POST', '/tool/channels/beta/promote', unknown);
    assert.deepEqual(statusOf(missing), [404, 4006]);
  });
});

describe('managing upload tokens', () => {
  test('is available to the owner and admins, and to no one else', async () => {
    const admin = await makePlayer(server);
    const stranger = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const token = await createToken({ scopes: [...UPLOAD_SCOPES] });
    assert.deepEqual(statusOf(await askForToken({}, stranger.headers)), [404, 4040]);
    assert.deepEqual(statusOf(await askForToken({}, {})), [401, 4011]);
    assert.deepEqual(statusOf(await askForToken({}, headersOf(token))), [401, 4011]);
    assert.deepEqual(statusOf(await revoke(token, stranger.headers)), [404, 4040]);
    const { game: other, owner: person } = await makeOwnedGame(server);
    assert.deepEqual(statusOf(await revoke(token, person, other.uid)), [404, 4040]);
    assert.deepEqual(statusOf(await askForToken({}, admin.headers)), [201, undefined]);
  });

  test('renames a token, which changes nothing else', async () => {
    const token = await createToken({ name: 'Old name' });
    const path = `/games/${game.uid}/upload-tokens/${token.token_id}`;
    const { body } = await callApi(server, owner, 'PATCH', path, { name: '  New name ' });
    assert.deepEqual(body.data, { ...(await readToken(token)), name: 'New name' });
    assert.equal((await readInfo(token)).body.data.token.name, 'New name');
  });

  test('refuses names and scopes that are malformed', async () => {
    for (const body of [
      { name: '', scopes: ['builds'], expires_in_days: null },
      { name: '   ', scopes: ['builds'], expires_in_days: null },
      { name: 'a\u202eb', scopes: ['builds'], expires_in_days: null },
      { name: 'a', scopes: [], expires_in_days: null },
      { name: 'a', scopes: ['everything'], expires_in_days: null },
      { name: 'a', scopes: ['builds'], expires_in_days: 0 },
      { name: 'a', scopes: ['builds'], expires_in_days: 1e9 },
      { name: 'a', scopes: 'builds', expires_in_days: 1 },
    ])
      assert.deepEqual(
        statusOf(await callApi(server, owner, 'POST', `/games/${game.uid}/upload-tokens`, body)),
        [400, 4002],
        JSON.stringify(body),
      );
  });

  test('has a limit of active tokens per game that holds for concurrent calls', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const attempts = Array.from({ length: LIMITS.uploadTokens + 5 }, () => askForToken({}, person, other.uid));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, LIMITS.uploadTokens);
    assert.equal(statuses.filter((status) => status === 400).length, 5);
  });

  test('mails the owner about new tokens and deploy keys, without their secrets', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const token = await createToken({ name: 'Nightly', scopes: ['media'] }, person, other.uid);
    const mail = await mailTo(server, other.owner.email, /^New upload token for/);
    assert.match(mail.text, /Nightly/);
    assert.match(mail.text, /Scopes: media\. It expires on/);
    assert.ok(mail.text.includes(token.key_ref));
    assert.match(mail.link, /\/dev\/.+\/settings\/keys$/);
    await mailTo(server, other.owner.email, /^New deploy key for/);
    for (const { text } of await mailsTo(server, other.owner.email))
      assert.ok(!text.includes(token.access_token) && !text.includes(token.secret_key));
  });

  test('stores hashes only', async () => {
    const token = await createToken();
    const text = await readWholeDatabase(server.ctx.db);
    assert.ok(text.includes(token.key_ref));
    assert.ok(!text.includes(token.access_token) && !text.includes(token.secret_key));
  });
});
