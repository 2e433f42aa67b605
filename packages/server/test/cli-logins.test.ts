// Signing in the command on the real server: the codes, the decision, the key, and what the key gives access to.
// cspell:ignore BCDFGHJKLMNPQRSTVWXZ
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { DAY } from '../src/kernel/clock.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { forgetOldLogins } from '../src/people/cli-logins/cli-logins.ts';
import { deleteRole } from '../src/people/game-access/game-access.sql.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { decideLogin, loginHeaders, pollLogin, signInCommand, startLogin, useLogin } from './setup/cli-logins.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import {
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  startServer,
  stoppedClock,
  type TestServer,
} from './setup/server.ts';
import { formOf, openSession, register, sendChunk, sha256, smallZip, upload, uploadFields } from './setup/uploads.ts';

const logged: string[] = [];
let now = Date.now();
let server: TestServer;
let own: OwnedGame;
before(async () => {
  server = await startServer({
    log: createLog('trace', { write: (line: string) => logged.push(line) }),
    clock: { now: () => new Date(now) },
  });
  own = await makeOwnedGame(server);
});
after(() => server.stop());

const requestOf = (headers: object, code: string) =>
  callApi(server, headers, 'GET', `/account/cli-login-requests/${code}`);

describe('a login', () => {
  test('begins with a code, shows who is asking, and returns the key once after the approval', async () => {
    const started = await startLogin(server, { host: "ana's <laptop>", os: 'Linux 6.1' });
    assert.match(started.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(started.verification_url, `${server.ctx.publicUrl}/cli/login?code=${started.user_code}`);
    assert.equal((await pollLogin(server, started)).status, 'pending');

    const shown = await requestOf(own.owner, started.user_code.replace('-', '').toLowerCase());
    assert.deepEqual(
      [shown.body.data.user_code, shown.body.data.host, shown.body.data.os],
      [started.user_code, 'ana-s-laptop', 'Linux 6.1'],
    );
    assert.deepEqual((await decideLogin(server, own.owner, started.user_code)).body.data, { approved: true });
    const { status, login } = await pollLogin(server, started);
    assert.deepEqual([status, login?.user, login?.game], ['approved', 'Owner', null]);
    assert.match(login?.key ?? '', /^chf_cli_[A-Za-z2-9]{48}$/);
    assert.deepEqual(await pollLogin(server, started), { status: 'expired', interval: 5, login: null });

    const info = await useLogin(server, login?.key ?? '');
    assert.deepEqual(
      [info.body.data.app_id, info.body.data.user, info.body.data.key_ref],
      [own.game.uid, 'Owner', login?.key_ref],
    );
    const stored = await readWholeDatabase(server.ctx.db);
    for (const secret of [started.device_code, started.user_code, login?.key ?? '']) {
      assert.equal(stored.includes(secret), false);
      assert.equal(logged.join('').includes(secret), false);
    }
  });

  test('is never cached, and its responses name no account', async () => {
    const json = { 'content-type': 'application/json' };
    const started = await request(`${server.api}/public/cli/logins`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ host: 'a', os: 'b' }),
    });
    assert.match(started.headers.get('cache-control') ?? '', /no-store/);
  });

  test('shows the network of the command, and whether it is that of the browser', async () => {
    const proxied = await startServer({ env: { CHAUFFEUR_TRUST_PROXY: '1' } });
    const { owner } = await makeOwnedGame(proxied);
    const shownTo = async (command: string, browser: string) => {
      const from = { 'x-forwarded-for': command };
      const { body } = await callApi(proxied, from, 'POST', '/public/cli/logins', { host: 'laptop', os: 'Linux' });
      const path = `/account/cli-login-requests/${body.data.user_code}`;
      const shown = await callApi(proxied, { ...owner, 'x-forwarded-for': browser }, 'GET', path);
      return [shown.body.data.address, shown.body.data.is_same_network];
    };
    assert.deepEqual(await shownTo('203.0.113.5', '203.0.113.5'), ['203.0.113.5', true]);
    assert.deepEqual(await shownTo('203.0.113.5', '203.0.113.6'), ['203.0.113.5', false]);
    assert.deepEqual(await shownTo('2001:db8:0:1::5', '2001:db8:0:1::6'), ['2001:db8:0:1::5', true]);
    assert.deepEqual(await shownTo('2001:db8:0:1::5', '203.0.113.5'), ['2001:db8:0:1::5', false]);
    await proxied.stop();
  });

  test('that is denied gives no key and ends its code', async () => {
    const started = await startLogin(server);
    await decideLogin(server, own.owner, started.user_code, { approve: false });
    assert.deepEqual(statusOf(await requestOf(own.owner, started.user_code)), [404, 4040]);
    assert.equal((await pollLogin(server, started)).status, 'denied');
    assert.equal((await pollLogin(server, started)).status, 'expired');
  });

  test('expires after ten minutes, before and after its approval', async () => {
    const { owner } = await makeOwnedGame(server);
    const waiting = await startLogin(server);
    const approved = await startLogin(server);
    now += 599_000;
    assert.equal((await decideLogin(server, owner, approved.user_code)).status, 200);
    now += 2000;
    assert.deepEqual(statusOf(await requestOf(owner, waiting.user_code)), [404, 4040]);
    assert.deepEqual(statusOf(await decideLogin(server, owner, waiting.user_code)), [404, 4040]);
    assert.equal((await pollLogin(server, waiting)).status, 'expired');
    // The command still has a minute to collect the key of a late approval.
    now += 60_000;
    assert.equal((await pollLogin(server, approved)).status, 'expired');
  });

  test('that is polled too soon has to wait longer', async () => {
    const started = await startLogin(server);
    assert.deepEqual(await pollLogin(server, started), { status: 'pending', interval: 5, login: null });
    now += 1000;
    assert.deepEqual(await pollLogin(server, started), { status: 'slow_down', interval: 10, login: null });
    now += 9500;
    assert.deepEqual(await pollLogin(server, started), { status: 'pending', interval: 10, login: null });
  });

  test('brings no message or address of a stranger before the person who decides', async () => {
    const shown = async (host: string, os: string) => {
      const { user_code } = await startLogin(server, { host, os });
      const { body } = await requestOf(own.owner, user_code);
      return [body.data.host, body.data.os];
    };
    assert.deepEqual(await shown('DESKTOP-4F_2.lan', 'Windows_NT x64'), ['DESKTOP-4F_2.lan', 'Windows_NT x64']);
    assert.deepEqual(await shown('IT says: approve!', 'or lose access to your games'), ['IT-says-approve', 'or lose']);
    const [host, os] = await shown('it@evil.example/login', 'https://evil.example/confirm?to=a <b>now</b>');
    assert.deepEqual([host, os], ['it-evil.example-login', 'https-evil.example-c b-now-b']);
    assert.deepEqual(await shown('???', '  '), ['unknown', 'unknown']);
  });

  test('reports a computer in plain text of limited length', async () => {
    const start = (reported: object) => callApi(server, {}, 'POST', '/public/cli/logins', reported);
    for (const host of ['', 'a\nb', 'a\u202eb', 'ä', 'x'.repeat(LIMITS.cliHostLength + 1), 7])
      assert.deepEqual(statusOf(await start({ host, os: 'Linux' })), [400, 4002], String(host));
    assert.deepEqual(statusOf(await start({ host: 'a'.repeat(5000), os: 'Linux' })), [400, 4002]);
  });
});

describe('a code', () => {
  test('is decided about by one person, even if two approve at once', async () => {
    const other = await makeOwnedGame(server);
    const started = await startLogin(server);
    const decisions = await Promise.all(
      [own.owner, other.owner, own.owner].map((person) => decideLogin(server, person, started.user_code)),
    );
    assert.deepEqual(decisions.map(({ status }) => status).sort(), [200, 404, 404]);
    const { login } = await pollLogin(server, started);
    const winner = decisions[1]?.status === 200 ? other : own;
    assert.equal((await useLogin(server, login?.key ?? '')).body.data.app_id, winner.game.uid);
  });

  test('gives its key to one of two polls', async () => {
    const started = await startLogin(server);
    await decideLogin(server, own.owner, started.user_code);
    const polls = await Promise.all([1, 2, 3].map(() => pollLogin(server, started)));
    assert.deepEqual(polls.map(({ status }) => status).sort(), ['approved', 'expired', 'expired']);
  });

  test('cannot be used without a session, by another site, or with other credentials', async () => {
    const { user_code: code } = await startLogin(server);
    const { key } = await signInCommand(server, own.owner);
    assert.deepEqual(statusOf(await requestOf({}, code)), [401, 4011]);
    assert.deepEqual(statusOf(await decideLogin(server, loginHeaders(key), code)), [401, 4011]);
    assert.deepEqual(statusOf(await decideLogin(server, own.game.keyHeaders, code)), [401, 4011]);
    const foreign = { ...own.owner, origin: 'https://evil.example' };
    assert.deepEqual(statusOf(await decideLogin(server, foreign, code)), [403, 4032]);
    assert.equal((await requestOf(own.owner, code)).status, 200);
  });

  test('cannot be guessed: a person may try 60 an hour', async () => {
    const { headers } = await makePlayer(server);
    for (let tries = 0; tries < 60; tries += 1)
      assert.deepEqual(statusOf(await requestOf(headers, 'BBBB-BBBB')), [404, 4040]);
    const started = await startLogin(server);
    assert.deepEqual(statusOf(await requestOf(headers, started.user_code)), [429, 4290]);
    assert.deepEqual(statusOf(await decideLogin(server, headers, started.user_code)), [429, 4290]);
    assert.equal((await pollLogin(server, started)).status, 'pending');
    assert.equal((await requestOf(own.owner, started.user_code)).status, 200);
  });

  test('is limited to a game only of the person who decides', async () => {
    const started = await startLogin(server);
    const stranger = await makeGame(server);
    const decision = { approve: true, game: stranger.slug };
    assert.deepEqual(statusOf(await decideLogin(server, own.owner, started.user_code, decision)), [404, 4040]);
    assert.equal((await pollLogin(server, started)).status, 'pending');
  });
});

test('logins are counted as public requests of an IP address', async () => {
  const strict = await startServer({ clock: stoppedClock(), env: { CHAUFFEUR_LIMIT_PUBLIC: '3' } });
  try {
    const started = await startLogin(strict);
    await pollLogin(strict, started);
    await callApi(strict, {}, 'POST', '/public/cli/logins/revoke', { key: 'x' });
    for (const [path, body] of [
      ['/public/cli/logins', { host: 'a', os: 'b' }],
      ['/public/cli/logins/token', { device_code: started.device_code }],
      ['/public/cli/logins/revoke', { key: 'x' }],
    ] as const)
      assert.deepEqual(statusOf(await callApi(strict, {}, 'POST', path, body)), [429, 4290], path);
  } finally {
    await strict.stop();
  }
});

describe('the key of a login', () => {
  test('works for each game that the person owns or administers, by uid or slug', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const { key } = await signInCommand(server, owner);
    const shared = await makeGame(server);
    assert.deepEqual(statusOf(await useLogin(server, key, { game: shared.uid })), [404, 4040]);
    await makeAdmin(server, shared.uid, game.owner);
    for (const named of [game, shared])
      for (const ref of [named.uid, named.slug])
        assert.equal((await useLogin(server, key, { game: ref })).body.data.app_id, named.uid);
    assert.deepEqual(statusOf(await useLogin(server, key)), [400, 4029]);
    for (const ref of ['none-such', '%', 'a'.repeat(300), '../..'])
      assert.deepEqual(statusOf(await useLogin(server, key, { game: ref })), [404, 4040], ref);

    await deleteRole(server.ctx.db, shared.uid, game.owner.id);
    assert.deepEqual(statusOf(await useLogin(server, key, { game: shared.uid })), [404, 4040]);
    assert.equal((await useLogin(server, key)).body.data.app_id, game.uid);
  });

  test('can be limited to one game', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const other = await makeGame(server);
    await makeAdmin(server, other.uid, game.owner);
    const login = await signInCommand(server, owner, { game: other.slug });
    assert.equal(login.game?.game_uid, other.uid);
    assert.equal((await useLogin(server, login.key)).body.data.app_id, other.uid);
    assert.equal((await useLogin(server, login.key, { game: other.slug })).status, 200);
    assert.deepEqual(statusOf(await useLogin(server, login.key, { game: game.uid })), [404, 4040]);
    await deleteRole(server.ctx.db, other.uid, game.owner.id);
    assert.deepEqual(statusOf(await useLogin(server, login.key)), [404, 4040]);
  });

  test('without any game has nothing to access', async () => {
    const { headers } = await makePlayer(server);
    const { key } = await signInCommand(server, headers);
    assert.deepEqual(statusOf(await useLogin(server, key)), [400, 4029]);
  });

  test('does no more than a deploy key, and shows nothing to its holder on public routes', async () => {
    const { game, owner } = await makeOwnedGame(server, { visibility: 'draft' });
    const { key } = await signInCommand(server, owner);
    const paths = ['/games', '/account/cli-logins', `/games/${game.uid}/deploy-keys`, '/account/credentials'];
    for (const path of paths) assert.deepEqual(statusOf(await useLogin(server, key, { path })), [401, 4011], path);
    assert.equal((await useLogin(server, key, { path: `/public/games/${game.uid}`, game: game.uid })).status, 404);
    const mcp = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...loginHeaders(key), 'content-type': 'application/json', accept: 'application/json' },
      body: '{}',
    });
    assert.equal(mcp.status, 401);
  });

  test('that is unknown, malformed or next to a deploy key is not used', async () => {
    const { key } = await signInCommand(server, own.owner);
    for (const wrong of [`${key}x`, key.slice(0, -1), 'chf_cli_', key.toUpperCase().replace('CHF_CLI_', 'chf_cli_')])
      assert.deepEqual(statusOf(await useLogin(server, wrong)), [401, 4027], wrong);
    assert.deepEqual(statusOf(await useLogin(server, key.replace('chf_cli_', 'chf_mcp_'))), [401, 4025]);
    const other = await makeGame(server);
    const both = await request(`${server.api}/tool/info`, { headers: { ...other.keyHeaders, ...loginHeaders(key) } });
    assert.deepEqual([both.body.data.app_id, both.body.data.user], [other.uid, null]);
  });

  test('leaves the deploy key of the game alone', async () => {
    await signInCommand(server, own.owner);
    assert.equal((await request(`${server.api}/tool/info`, { headers: own.game.keyHeaders })).status, 200);
  });

  test('expires when it was not used for 90 days', async () => {
    const { key } = await signInCommand(server, own.owner);
    now += 89 * DAY;
    assert.equal((await useLogin(server, key)).status, 200);
    now += 89 * DAY;
    assert.equal((await useLogin(server, key)).status, 200);
    now += LIMITS.cliLoginDays * DAY + 1;
    assert.deepEqual(statusOf(await useLogin(server, key)), [401, 4027]);
  });
});

describe('logins of a person', () => {
  const listOf = async (headers: object) =>
    (await callApi(server, headers, 'GET', '/account/cli-logins')).body.data.logins as {
      login_id: string;
      key_ref: string;
      host: string;
      last_used_at: string;
      expires_at: string;
      game: { slug: string } | null;
    }[];

  test('are listed and revoked by that person only', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const login = await signInCommand(server, owner, { game: game.uid });
    now += 1000;
    const newest = await signInCommand(server, owner);
    const listed = await listOf(owner);
    assert.deepEqual(
      listed.map(({ key_ref, host, game: only }) => [key_ref, host, only?.slug]),
      [
        [newest.key_ref, 'workstation', undefined],
        [login.key_ref, 'workstation', game.slug],
      ],
    );
    assert.equal(listed[0]?.expires_at, new Date(now + LIMITS.cliLoginDays * DAY).toISOString());
    assert.equal(JSON.stringify(listed).includes(login.key), false);
    const revoke = (headers: object) =>
      callApi(server, headers, 'DELETE', `/account/cli-logins/${listed[1]?.login_id}`);
    assert.deepEqual(statusOf(await revoke(own.owner)), [404, 4040]);
    assert.equal((await useLogin(server, login.key)).status, 200);
    assert.equal((await revoke(owner)).status, 200);
    assert.deepEqual(statusOf(await revoke(owner)), [404, 4040]);
    assert.deepEqual(statusOf(await useLogin(server, login.key)), [401, 4027]);
    assert.equal((await useLogin(server, newest.key)).status, 200);
    assert.deepEqual((await listOf(owner)).length, 1);
  });

  test('end with their key, and an unknown key gets the same response', async () => {
    const { key } = await signInCommand(server, own.owner);
    const end = (sent: string) => callApi(server, {}, 'POST', '/public/cli/logins/revoke', { key: sent });
    assert.deepEqual((await end(key)).body, (await end('chf_cli_unknown')).body);
    assert.deepEqual(statusOf(await useLogin(server, key)), [401, 4027]);
  });

  test('are limited in number', async () => {
    const { owner } = await makeOwnedGame(server);
    const late = await startLogin(server);
    assert.equal((await decideLogin(server, owner, late.user_code)).status, 200);
    // The codes of many logins that one person approves within an hour.
    for (let count = 0; count < LIMITS.cliLogins; count += 1) await signInCommand(server, owner);
    const started = await startLogin(server);
    assert.deepEqual(statusOf(await decideLogin(server, owner, started.user_code)), [400, 4002]);
    assert.equal((await pollLogin(server, late)).status, 'denied');
  });

  test('that were approved but not collected are revoked with the others', async () => {
    const { owner } = await makeOwnedGame(server);
    const started = await startLogin(server);
    await decideLogin(server, owner, started.user_code);
    const { key } = await signInCommand(server, owner);
    const { body } = await callApi(server, owner, 'POST', '/account/credentials/revoke', { cli_logins: true });
    assert.equal(body.data.cli_logins, 1);
    assert.equal((await pollLogin(server, started)).status, 'expired');
    assert.equal((await useLogin(server, key)).status, 401);
  });

  test('are forgotten a while after they ended, and requests when they expire', async () => {
    const { owner } = await makeOwnedGame(server);
    const { key_ref: ended } = await signInCommand(server, owner);
    await callApi(server, owner, 'POST', '/account/credentials/revoke', { cli_logins: true });
    const { key_ref: active } = await signInCommand(server, owner);
    await startLogin(server, { host: 'forgotten-host', os: 'Linux' });
    await forgetOldLogins(server.ctx);
    for (const text of [ended, active, 'forgotten-host'])
      assert.ok((await readWholeDatabase(server.ctx.db)).includes(text), text);
    now += 31 * DAY;
    for (const _ of [1, 2]) await forgetOldLogins(server.ctx);
    const kept = await readWholeDatabase(server.ctx.db);
    assert.deepEqual(
      [ended, active, 'forgotten-host'].map((text) => kept.includes(text)),
      [false, true, false],
    );
  });
});

describe('an upload with a login', () => {
  test('records the person and the key of the login in its provenance', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const login = await signInCommand(server, owner);
    const asLogin = { ...game, keyHeaders: loginHeaders(login.key, game.slug) as never };
    const zip = smallZip();
    const buildId = await register(server, asLogin);
    const single = await upload(server, asLogin, formOf(uploadFields(buildId, zip), zip));
    assert.equal(single.status, 201, JSON.stringify(single.body));
    const originOf = async (uid: string) =>
      (await request(`${server.api}/public/games/${game.uid}/files/${uid}/provenance`, { headers: game.keyHeaders }))
        .body.data.origin;
    const origin = { type: 'cli_login', key_ref: login.key_ref, user: 'Owner' };
    assert.deepEqual(await originOf(single.body.data.file_uid), origin);
    const requests = logged.map((line) => JSON.parse(line)).filter(({ keyRef }) => keyRef === login.key_ref);
    assert.deepEqual([...new Set(requests.map(({ user }) => user))], [game.owner.id]);

    const session = await openSession(server, asLogin, {
      ...uploadFields(buildId, zip),
      filename: 'game.zip',
      total_size: String(zip.length),
    });
    // A deploy key may continue the session; the login announced its content.
    const done = await sendChunk(server, game, session.body.data.session_id, zip, 0, zip.length);
    assert.equal(done.body.data.checksum, sha256(zip));
    assert.deepEqual(await originOf(done.body.data.file_uid), origin);
  });

  test('stops when the login is revoked or the person is no longer an admin', async () => {
    const game = await makeGame(server);
    const admin = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const login = await signInCommand(server, admin.headers);
    const asLogin = { ...game, keyHeaders: loginHeaders(login.key) as never };
    const zip = smallZip('data.bin', Buffer.alloc(1000, 'x'));
    const buildId = await register(server, asLogin);
    const fields = { ...uploadFields(buildId, zip), filename: 'game.zip', total_size: String(zip.length) };
    const session = (await openSession(server, asLogin, fields)).body.data.session_id;
    assert.equal((await sendChunk(server, asLogin, session, zip, 0, 500)).body.data.current_size, 500);
    await deleteRole(server.ctx.db, game.uid, admin.id);
    const named = { ...game, keyHeaders: loginHeaders(login.key, game.uid) as never };
    assert.deepEqual(statusOf(await sendChunk(server, named, session, zip, 500, 700)), [404, 4040]);
    await makeAdmin(server, game.uid, admin);
    assert.equal((await sendChunk(server, named, session, zip, 500, 700)).body.data.current_size, 700);
    await callApi(server, {}, 'POST', '/public/cli/logins/revoke', { key: login.key });
    assert.deepEqual(statusOf(await sendChunk(server, named, session, zip, 700, zip.length)), [401, 4027]);
  });

  test('reaches no session of another game', async () => {
    const other = await makeOwnedGame(server);
    const { key } = await signInCommand(server, other.owner);
    const zip = smallZip();
    const buildId = await register(server, own.game);
    const fields = { ...uploadFields(buildId, zip), filename: 'game.zip', total_size: String(zip.length) };
    const session = (await openSession(server, own.game, fields)).body.data.session_id;
    const asOther = { ...other.game, keyHeaders: loginHeaders(key) as never };
    assert.deepEqual(statusOf(await sendChunk(server, asOther, session, zip, 0, zip.length)), [404, 4045]);
  });
});
