// API tokens on the real server: who creates them, what they give access to, and how they end.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { type Operation, tokenScopeOf } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { TOKEN_SCOPES } from '@chauffeur/contract/token-scopes';
import { sql } from 'kysely';
import { DAY, MINUTE } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { checkExpiry } from '../src/people/api-tokens/api-tokens.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { bearer, createToken, type Token, type Wish } from './setup/api-tokens.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import {
  type ApiResponse,
  makeGame,
  makeMember,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { runServerCommand } from './setup/server-command.ts';
import { until } from './setup/until.ts';
import { ship, smallZip } from './setup/uploads.ts';

const logged: string[] = [];
let now = Date.now();
let server: TestServer;
let game: TestGame;
let owner: { cookie: string };
before(async () => {
  server = await startServer({
    log: createLog('trace', { write: (line: string) => logged.push(line) }),
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_MAILS: '0' },
  });
  game = await makeGame(server);
  owner = await signIn(server, game.owner);
});
after(() => server.stop());

const makeToken = (headers: object = owner, wish: Wish = {}) => createToken(server, headers, wish);
const get = (token: Token, path: string) => callApi(server, bearer(token), 'GET', path);
const listed = async (headers: object = owner) =>
  (await callApi(server, headers, 'GET', '/account/api-tokens')).body.data.tokens;

describe('an API token', () => {
  test('is shown once, stored as a hash, and reported by email', async () => {
    const token = await makeToken(owner, { name: 'Nightly', scopes: ['builds:read', 'bugs:write', 'builds:read'] });
    assert.match(token.token, /^chf_api_[A-Za-z2-9]{32}$/);
    assert.equal((await get(token, `/games/${game.slug}/builds`)).status, 200);
    const [record] = await listed();
    const { token_ref, name, scopes, state } = record;
    assert.deepEqual([name, scopes, record.games, state], ['Nightly', ['bugs:write', 'builds:read'], null, 'active']);
    assert.ok(token.token.startsWith(token_ref) && token_ref.length === 14);
    assert.equal(JSON.stringify(await listed()).includes(token.token), false);
    assert.equal((await readWholeDatabase(server.ctx.db)).includes(token.token), false);
    assert.equal(logged.join('').includes(token.token), false);
    const { text } = await mailTo(server, game.owner.email, /API token/);
    for (const part of ['“Nightly”', token_ref, 'bugs:write, builds:read', 'all of your games', '127.0.0.1'])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.equal(text.includes(token.token), false);
  });

  test('expires after 90 days unless said otherwise, and after a year at most', async () => {
    const { expires_at } = await makeToken();
    assert.equal(Date.parse(expires_at) - now, 90 * DAY);
    for (const wrong of [0, 366, 1.5, -1, null, '30']) {
      const body = { name: 'x', scopes: ['builds:read'], games: null, expires_in_days: wrong };
      assert.deepEqual(statusOf(await callApi(server, owner, 'POST', '/account/api-tokens', body)), [400, 4002]);
    }
    const person = await makePlayer(server);
    const short = await makeToken(person.headers, { expires_in_days: 1 });
    assert.equal((await get(short, '/games')).status, 200);
    now += DAY;
    const refused = await get(short, '/games');
    assert.deepEqual(statusOf(refused), [401, 4051]);
    assert.match(refused.body.error?.message ?? '', /expired on \d{4}-\d\d-\d\d/);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/);
    assert.equal((await listed(person.headers))[0].state, 'expired');
  });

  test('is refused with unknown, repeated or missing scopes, names and games', async () => {
    for (const wrong of [
      { scopes: [] },
      { scopes: ['builds:delete'] },
      { scopes: 'builds:read' },
      { scopes: Array(TOKEN_SCOPES.length + 1).fill('builds:read') },
      { name: '' },
      { name: 'x'.repeat(LIMITS.apiTokenNameLength + 1) },
      { name: 'two\nlines' },
      { games: 7 },
      { games: [] },
      { games: undefined },
      { games: ['No slug'] },
      { games: Array(LIMITS.apiTokenGames + 1).fill(game.uid) },
    ]) {
      const body = { name: 'x', scopes: ['builds:read'], games: null, ...wrong };
      const answer = await callApi(server, owner, 'POST', '/account/api-tokens', body);
      assert.deepEqual(statusOf(answer), [400, 4002], JSON.stringify(wrong));
    }
    const other = await makeGame(server);
    const body = { name: 'x', scopes: ['builds:read'], games: [other.uid] };
    assert.deepEqual(statusOf(await callApi(server, owner, 'POST', '/account/api-tokens', body)), [404, 4040]);
  });

  test('works for the operations of its scopes and no others, each of which says why', async () => {
    const game = await makeGame(server);
    const session = await signIn(server, game.owner);
    const none = await makeToken(session, { scopes: ['bugs:read'] });
    for (const operation of OPERATIONS as readonly Operation[]) {
      const scope = tokenScopeOf(operation);
      if (scope === 'bugs:read' || (operation.access === 'public' && scope === null)) continue;
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'uid' ? game.uid : 'x'));
      const headers = { ...bearer(none), 'content-type': 'application/json' };
      const init = operation.method === 'GET' ? {} : { body: '{}' };
      const { status, body } = await request(`${server.api}${path}`, { method: operation.method, headers, ...init });
      const expected = scope === null ? [403, 4036] : [403, 4034];
      assert.deepEqual([status, body.error?.code], expected, operation.id);
      if (scope !== null) assert.equal(body.error?.data.scope, scope);
    }
    assert.equal((await get(none, `/games/${game.uid}/bugs`)).status, 200);
  });

  test('gives no more than its owner has when it is used', async () => {
    const person = await makePlayer(server);
    await makeMember(server, game.uid, person, 'viewer');
    const token = await makeToken(person.headers);
    assert.equal((await get(token, `/games/${game.uid}/builds`)).status, 200);
    assert.deepEqual(statusOf(await get(token, `/games/${game.uid}/deploy-keys`)), [403, 4031]);
    assert.deepEqual(statusOf(await callApi(server, bearer(token), 'GET', '/operator/state')), [403, 4036]);
    await callApi(server, owner, 'DELETE', `/games/${game.uid}/admins/${person.id}`);
    assert.deepEqual(statusOf(await get(token, `/games/${game.uid}/builds`)), [404, 4040]);
    await changed(server.ctx.db, sql`update users set disabled_at = now() where id = ${person.id}`);
    assert.deepEqual(statusOf(await get(token, '/games')), [401, 4018]);
  });

  test('can be limited to a game, and sees no other, not even what visitors see', async () => {
    const other = await makeGame(server);
    await makeMember(server, other.uid, game.owner, 'admin');
    const token = await makeToken(owner, { games: [game.slug, game.uid] });
    const find = async () => (await listed()).find(({ token_id: id }: Token) => id === token.token_id);
    assert.deepEqual(
      (await find()).games.map(({ slug }: { slug: string }) => slug),
      [game.slug],
    );
    for (const ref of [game.uid, game.slug]) assert.equal((await get(token, `/games/${ref}/builds`)).status, 200);
    assert.equal((await get(token, `/public/games/${game.slug}`)).status, 200);
    for (const path of ['/games/X', '/games/X/builds', '/public/games/X', '/public/games/X/releases', '/games/X/audit'])
      for (const ref of [other.uid, other.slug])
        assert.deepEqual(statusOf(await get(token, path.replace('X', ref))), [403, 4052], path);
    const strangers = await makeGame(server);
    for (const path of [`/games/${strangers.uid}`, `/public/games/${strangers.slug}`])
      assert.deepEqual(statusOf(await get(token, path)), [404, 4040], path);
    const { games } = (await get(token, '/games')).body.data;
    assert.deepEqual(
      games.map(({ slug }: { slug: string }) => slug),
      [game.slug],
    );
    for (const path of ['/overview/games', '/organisations', '/game-slugs/owls'])
      assert.deepEqual(statusOf(await get(token, path)), [403, 4036], path);
    const created = await callApi(server, bearer(token), 'POST', '/games', { name: 'Another' });
    assert.deepEqual(statusOf(created), [403, 4036]);
  });

  test('can be limited to several games, of which it is left with none once they are deleted', async () => {
    const {
      game: { owner: account },
      owner: session,
    } = await makeOwnedGame(server);
    const person = { headers: session };
    const add = async (name: string): Promise<string> =>
      (await callApi(server, person.headers, 'POST', '/games', { name })).body.data.game_uid;
    const [first, second, third] = [await add('First'), await add('Second'), await add('Third')];
    const token = await makeToken(person.headers, { games: [second, first] });
    const reached = async () =>
      (await get(token, '/games')).body.data.games.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(await reached(), ['First', 'Second']);
    assert.deepEqual(statusOf(await get(token, `/games/${third}`)), [403, 4052]);
    const tool = (uid?: string) =>
      callApi(server, { ...bearer(token), ...(uid !== undefined && { 'x-app-id': uid }) }, 'GET', '/tool/info');
    assert.deepEqual(statusOf(await tool()), [400, 4029]);
    assert.equal((await tool(second)).body.data.app_id, second);
    assert.deepEqual(statusOf(await tool(third)), [403, 4052]);
    const remove = async (uid: string, name: string) => {
      const body = { name, password: account.password };
      const deleted = await callApi(server, session, 'POST', `/games/${uid}/deletion`, body);
      assert.equal(deleted.status, 202, JSON.stringify(deleted.body));
    };
    await remove(first, 'First');
    assert.deepEqual(await reached(), ['Second']);
    assert.equal((await tool()).body.data.app_id, second);
    await remove(second, 'Second');
    assert.deepEqual(statusOf(await get(token, '/games')), [401, 4050]);
    assert.deepEqual((await listed(person.headers))[0].games, []);
  });

  test('replaces the session of a cookie that is sent with it, and needs no origin', async () => {
    const person = await makePlayer(server);
    const token = await makeToken(person.headers, { scopes: ['games:read'] });
    const both = { ...owner, ...bearer(token), origin: 'https://elsewhere.example' };
    assert.deepEqual((await callApi(server, both, 'GET', '/games')).body.data.games, []);
    assert.deepEqual(
      statusOf(await callApi(server, both, 'PATCH', `/games/${game.uid}`, { name: 'Mine' })),
      [403, 4034],
    );
    const unknown = { ...owner, authorization: `Bearer chf_api_${'x'.repeat(32)}` };
    assert.deepEqual(statusOf(await callApi(server, unknown, 'GET', '/games')), [401, 4018]);
  });

  test('never leaves a request to the session of a cookie, however malformed it is and wherever it is sent', async () => {
    const { token } = await makeToken();
    for (const authorization of [
      `Bearer ${token} ${token}`,
      `Bearer ${token},`,
      `Bearer ${token} x`,
      'Bearer chf_api_',
      `Bearer chf_api_${"'; drop table users; --"}`,
      `Bearer chf_api_${'a'.repeat(10_000)}`,
    ])
      assert.deepEqual(
        statusOf(await callApi(server, { ...owner, authorization }, 'GET', '/games')),
        [401, 4018],
        authorization.slice(0, 50),
      );
    const both = { ...owner, authorization: `Bearer ${token}`, origin: server.ctx.publicUrl };
    for (const route of ['/get-session', '/list-sessions', '/passkey/list-user-passkeys'])
      assert.equal((await request(`${server.url}/api/auth${route}`, { headers: both })).status, 403, route);
    for (const route of ['/change-password', '/change-email', '/delete-user', '/two-factor/disable', '/sign-out']) {
      const init = { method: 'POST', headers: { ...both, 'content-type': 'application/json' }, body: '{}' };
      assert.equal((await request(`${server.url}/api/auth${route}`, init)).status, 403, route);
    }
    assert.equal((await callApi(server, owner, 'GET', '/games')).status, 200);
    const person = await makePlayer(server);
    const draft = (await callApi(server, person.headers, 'POST', '/games', { name: 'A draft' })).body.data;
    const own = await makeToken(person.headers);
    const pageWith = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/g/${draft.slug}`, { headers })).status;
    assert.deepEqual(
      [await pageWith(person.headers), await pageWith({ ...person.headers, ...bearer(own) })],
      [200, 404],
    );
  });

  test('is refused in any other form', async () => {
    const { token } = await makeToken();
    for (const wrong of [
      `${token}x`,
      token.slice(0, -1),
      token.toUpperCase(),
      'chf_api_',
      `chf_api_${'a'.repeat(9000)}`,
    ]) {
      const { status } = await callApi(server, { authorization: `Bearer ${wrong}` }, 'GET', '/games');
      assert.equal(status, 401, wrong.slice(0, 50));
    }
    for (const header of [token, `Basic ${token}`, `Bearer ${token} ${token}`, `Token ${token}`, 'Bearer', 'Bearer  '])
      assert.equal((await callApi(server, { authorization: header }, 'GET', '/games')).status, 401, header);
    assert.equal((await callApi(server, { authorization: `bearer  ${token}` }, 'GET', '/games')).status, 200);
    assert.equal((await request(`${server.api}/games?access_token=${token}`)).status, 401);
    const agent = await request(`${server.url}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    assert.equal(agent.status, 401);
  });

  test('ships a build, and its origin is recorded', async () => {
    const token = await makeToken(owner, { scopes: ['builds:write'], games: [game.slug] });
    await ship(server, { keyHeaders: bearer(token) }, { version: '3.0.0' }, smallZip('owl.txt'));
    const { body } = await get(await makeToken(), `/games/${game.uid}/builds`);
    assert.deepEqual(body.data.builds[0].file.origin, { type: 'api_token', key_ref: token.token_ref, user: 'Owner' });
    const all = await makeToken();
    const media = await callApi(server, { ...bearer(all), 'x-app-id': game.uid }, 'GET', '/tool/media');
    assert.equal(media.status, 200);
    const strange = await makeGame(server);
    const wrong = await callApi(server, { ...bearer(token), 'x-app-id': strange.uid }, 'GET', '/tool/builds');
    assert.deepEqual(statusOf(wrong), [404, 4040]);
  });

  test('is named in the audit log', async () => {
    const token = await makeToken(owner, { name: 'Titles', scopes: ['games:write', 'team:read'] });
    const named = await callApi(server, bearer(token), 'PATCH', `/games/${game.uid}`, { tagline: 'Owls at night' });
    assert.equal(named.status, 200, JSON.stringify(named.body));
    const { body } = await get(token, `/games/${game.uid}/audit?what=games.update`);
    const { kind, id, name, via } = body.data.entries[0].actor;
    assert.deepEqual([kind, id, name, via], ['api_token', game.owner.id, 'Owner', 'Titles']);
  });

  test('has a last use that is exact to the minute', async () => {
    const person = await makePlayer(server);
    const token = await makeToken(person.headers);
    const lastUse = async () => (await listed(person.headers))[0].last_used_at;
    assert.equal(await lastUse(), null);
    await get(token, '/games');
    const first = new Date(now).toISOString();
    assert.equal(await lastUse(), first);
    now += MINUTE / 2;
    await get(token, '/games');
    assert.equal(await lastUse(), first);
    now += MINUTE;
    await get(token, '/games');
    assert.equal(await lastUse(), new Date(now).toISOString());
  });
});

describe('an API token ends', () => {
  test('when its owner revokes it, and only they can', async () => {
    const token = await makeToken();
    const stranger = await makePlayer(server);
    const path = `/account/api-tokens/${token.token_id}`;
    assert.deepEqual(statusOf(await callApi(server, stranger.headers, 'DELETE', path)), [404, 4040]);
    assert.deepEqual(statusOf(await callApi(server, bearer(token), 'DELETE', path)), [403, 4036]);
    const calls = Array.from({ length: 20 }, () => get(token, '/games'));
    const [revoked] = await Promise.all([callApi(server, owner, 'DELETE', path), ...calls]);
    assert.equal((revoked as ApiResponse).body.data.state, 'revoked');
    for (const { status } of await Promise.all(calls)) assert.ok([200, 401].includes(status));
    const refused = await get(token, '/games');
    assert.deepEqual(statusOf(refused), [401, 4050]);
    assert.match(refused.body.error?.message ?? '', /was revoked/);
    const { changes } = await onlyRow(
      server.ctx.db,
      sql<{ changes: object }>`select changes from audit_entries where operation = 'apiTokens.revoke' and outcome = 0
        and details->>'token_id' = ${token.token_id}`,
    );
    assert.deepEqual(changes, {
      token: { before: token.token_ref, after: null },
      name: { before: 'Report script', after: null },
    });
  });

  test('with all others of the account, by its owner, by a new password and by the operator', async () => {
    const game = await makeGame(server);
    const session = await signIn(server, game.owner);
    const make = () => makeToken(session);
    let token = await make();
    const counted = await callApi(server, session, 'GET', '/account/credentials');
    assert.equal(counted.body.data.api_tokens, 1);
    const { body } = await callApi(server, session, 'POST', '/account/credentials/revoke', { api_tokens: true });
    assert.equal(body.data.api_tokens, 1);
    assert.equal((await get(token, '/games')).status, 401);
    token = await make();
    const environment = { CHAUFFEUR_DATA: server.dataFolder, DATABASE_URL: server.database.url };
    const args = ['admin', 'token', 'revoke', '--email', game.owner.email, '--only', 'api-tokens', '--json'];
    const { code, stdout, stderr } = await runServerCommand(environment, args);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).api_tokens, 1);
    assert.equal((await get(token, '/games')).status, 401);
  });

  test('a week before, its owner gets one email, and long after, it is deleted', async () => {
    const person = await makePlayer(server);
    const token = await makeToken(person.headers, { name: 'Yearly', expires_in_days: 30 });
    const reminders = async () =>
      (await mailsTo(server, person.email)).filter(({ subject }) => subject.includes('expires on'));
    now += 22 * DAY;
    await checkExpiry(server.ctx);
    assert.equal((await reminders()).length, 0);
    now += 2 * DAY;
    await Promise.all([checkExpiry(server.ctx), checkExpiry(server.ctx)]);
    await until(async () => (await reminders()).length === 1);
    now += DAY;
    await checkExpiry(server.ctx);
    const [reminder, ...more] = await reminders();
    assert.equal(more.length, 0);
    assert.match(reminder?.subject ?? '', /“Yearly” expires on \d{4}-/);
    assert.ok(reminder?.text.includes(token.token_ref));
    now += 6 * DAY;
    assert.deepEqual(statusOf(await get(token, '/games')), [401, 4051]);
    now += 30 * DAY;
    await checkExpiry(server.ctx);
    assert.deepEqual(await listed(person.headers), []);
    assert.match((await get(token, '/games')).body.error?.message ?? '', /does not exist/);
  });

  test('and no more than the limit are active, even if many are created at once', async () => {
    const person = await makePlayer(server);
    const body = { name: 'x', scopes: ['builds:read'], games: null };
    const answers = await Promise.all(
      Array.from({ length: LIMITS.apiTokens + 5 }, () =>
        callApi(server, person.headers, 'POST', '/account/api-tokens', body),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, LIMITS.apiTokens);
    assert.equal(answers.filter(({ status }) => status === 400).length, 5);
  });
});
