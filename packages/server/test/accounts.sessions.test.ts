// Sessions and passwords on the real server: signing in and out, resetting a password, and revoking credentials.
import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { MIGRATIONS_FOLDER } from '../src/folders.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { correctTimes, forgetExpired } from '../src/people/accounts/retention.job.ts';
import {
  type Account,
  cookieOf,
  isSignedIn,
  newAccount,
  openLink,
  postAuth,
  signUp,
  trySignIn,
} from './setup/accounts.ts';
import { makeKey } from './setup/agents.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { signInCommand, useLogin } from './setup/cli-logins.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { connectProgram, refresh } from './setup/oauth.ts';
import {
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  stoppedClock,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { until } from './setup/until.ts';

const tokenOf = (cookie: string) => /session_token=([^;.]+)/.exec(cookie)?.[1] ?? '';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('sign-in works from any loopback name of the server and from no other origin', async () => {
  const account = await signUp(server);
  const { port } = new URL(server.url);
  const statusAt = async (origin: string) =>
    (await postAuth(server, '/sign-in/email', { email: account.email, password: account.password }, { origin })).status;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) assert.equal(await statusAt(`http://${name}:${port}`), 200);
  for (const origin of [`http://localhost:${Number(port) + 1}`, `http://evil.example:${port}`, 'null'])
    assert.equal(await statusAt(origin), 403, origin);
});

describe('a session', () => {
  test('starts with the correct password only, in any letter case of the email', async () => {
    const { email, password } = await signUp(server);
    const right = await trySignIn(server, { email: email.toUpperCase(), password });
    assert.equal(right.status, 200);
    assert.ok(await isSignedIn(server, cookieOf(right)));
    for (const wrong of [{ password: `${password} ` }, { password: '' }, { email: 'nobody@example.com' }]) {
      const response = await trySignIn(server, { email, password, ...wrong });
      assert.ok([400, 401].includes(response.status), String(response.status));
      assert.equal(cookieOf(response), '');
    }
  });

  test('is refused with the same response for a wrong password and an unknown email', async () => {
    const { email } = await signUp(server);
    const [wrongPassword, wrongEmail] = await Promise.all([
      trySignIn(server, { email, password: 'not the password' }),
      trySignIn(server, { email: newAccount().email, password: 'not the password' }),
    ]);
    assert.deepEqual([wrongPassword.status, await wrongPassword.json()], [wrongEmail.status, await wrongEmail.json()]);
  });

  test('ends on sign-out, while the other sessions of the account continue', async () => {
    const account = await signUp(server);
    const other = cookieOf(await trySignIn(server, account));
    const response = await postAuth(server, '/sign-out', {}, { cookie: account.cookie });
    assert.equal(response.status, 200);
    assert.deepEqual([await isSignedIn(server, account.cookie), await isSignedIn(server, other)], [false, true]);
  });

  test('is stored as a hash, which is of no use in a cookie, signed or not', async () => {
    const { cookie } = await signUp(server);
    const token = tokenOf(cookie);
    const text = await readWholeDatabase(server.ctx.db);
    assert.equal(text.includes(token), false);
    const { secret } = await server.app.auth.$context;
    const stored = hash('sha256', token, 'base64url');
    assert.ok(text.includes(stored));
    const signature = encodeURIComponent(createHmac('sha256', secret).update(stored).digest('base64'));
    const name = 'chauffeur.session_token';
    assert.equal(await isSignedIn(server, `${name}=${token}`), true);
    for (const forged of [
      ...[`${name}=${stored}`, `${name}=${stored}.${signature}`, `${name}=x; ${name}=${stored}.${signature}`],
      ...[`${name} =${stored}.${signature}`, `\t${name}=${stored}.${signature}`, `"${name}"=${stored}.${signature}`],
      `${encodeURIComponent(name).replace('_', '%5F')}=${stored}.${signature}`,
      `a=${name}=${stored}.${signature}`,
    ])
      assert.equal(await isSignedIn(server, forged), false, forged);
  });

  test('of an earlier version, which stored the token itself and signed its cookie, continues', async () => {
    const { email, cookie } = await signUp(server);
    const token = 'Ab'.repeat(16);
    await changed(
      server.ctx.db,
      sql`update user_sessions set token = ${token} where user_id = (select id from users where email = ${email})`,
    );
    const migration = await readFile(join(MIGRATIONS_FOLDER, '0101_session_hashes.sql'), 'utf8');
    for (let times = 0; times < 2; times += 1) await changed(server.ctx.db, sql.raw(migration));
    assert.equal(await isSignedIn(server, `chauffeur.session_token=${token}.signature%3D`), true);
    assert.equal(await isSignedIn(server, cookie), false);
    // Another one, that the previous release started after the migration.
    const late = 'Cd'.repeat(16);
    await changed(
      server.ctx.db,
      sql`update user_sessions set token = ${late} where user_id = (select id from users where email = ${email})`,
    );
    await forgetExpired(server.ctx);
    assert.equal(await isSignedIn(server, `chauffeur.session_token=${late}.signature%3D`), true);
  });

  test('is listed and ended by its own account, alone or with all others', async () => {
    const account = await signUp(server);
    const cookies = [account.cookie];
    for (let no = 0; no < 3; no += 1) cookies.push(cookieOf(await trySignIn(server, account)));
    const list = async (cookie: string) =>
      (await (await fetch(`${server.url}/api/auth/list-sessions`, { headers: { cookie } })).json()) as {
        token: string;
      }[];
    const listed = await list(cookies[0]!);
    assert.equal(listed.length, 4);
    const second = listed.find(({ token }) => token === hash('sha256', tokenOf(cookies[1]!), 'base64url'));
    const stranger = await signUp(server);
    await postAuth(server, '/revoke-session', { token: second?.token }, { cookie: stranger.cookie });
    const states = () => Promise.all(cookies.map((cookie) => isSignedIn(server, cookie)));
    assert.deepEqual(await states(), [true, true, true, true]);
    await postAuth(server, '/revoke-session', { token: second?.token }, { cookie: cookies[0]! });
    assert.deepEqual(await states(), [true, false, true, true]);
    await postAuth(server, '/revoke-other-sessions', {}, { cookie: cookies[0]! });
    assert.deepEqual(await states(), [true, false, false, false]);
    const renewed = await postAuth(
      server,
      '/change-password',
      { currentPassword: account.password, newPassword: `${account.password}!`, revokeOtherSessions: true },
      { cookie: cookies[0]! },
    );
    assert.deepEqual([renewed.status, await isSignedIn(server, cookieOf(renewed))], [200, true]);
    assert.equal(await isSignedIn(server, cookies[0]!), false);
  });

  test('is deleted a day after it expired, but not because the clock of a process is ahead', async () => {
    const [expired, other] = [await signUp(server), await signUp(server)];
    await changed(
      server.ctx.db,
      sql`update user_sessions set expires_at = now() - interval '25 hours'
        where user_id = (select id from users where email = ${expired.email})`,
    );
    const count = async ({ email }: Account) =>
      (
        await onlyRow(
          server.ctx.db,
          sql<{ count: number }>`select count(*) as count from user_sessions join users on users.id = user_id
            where email = ${email}`,
        )
      ).count;
    await forgetExpired({ ...server.ctx, clock: { now: () => new Date('2099-01-01') } });
    assert.deepEqual([await count(expired), await count(other)], [0, 1]);
  });

  test('from while the clock was ahead lasts no longer than another, and no limit lasts until then', async () => {
    const { email, cookie } = await signUp(server);
    const { db } = server.ctx;
    const ofUser = sql`user_id = (select id from users where email = ${email})`;
    await changed(
      db,
      sql`update user_sessions set created_at = created_at + interval '1 year', updated_at = updated_at + interval '1 year',
        expires_at = expires_at + interval '1 year' where ${ofUser}`,
    );
    await changed(
      db,
      sql`insert into user_rate_limits (id, key, count, last_request)
        values ('ahead', 'ahead', 99, extract(epoch from now() + interval '1 year') * 1000)`,
    );
    await changed(
      db,
      sql`insert into user_two_factors (id, secret, backup_codes, user_id, verified, failed_verification_count, locked_until)
        select 'ahead', 's', 'c', id, true, 10, now() + interval '1 year' from users where email = ${email}`,
    );
    await correctTimes(server.ctx);
    const { days, fresh } = await onlyRow(
      db,
      sql<{ days: number; fresh: boolean }>`select extract(day from expires_at - now())::integer as days,
        created_at <= now() as fresh from user_sessions where ${ofUser}`,
    );
    assert.ok(days <= 7, `${days} days`);
    assert.equal(fresh, true);
    assert.equal(await isSignedIn(server, cookie), true);
    const { count } = await onlyRow(
      db,
      sql<{ count: number }>`select (select count(*) from user_rate_limits where id = 'ahead')
        + (select count(*) from user_two_factors where locked_until is not null) as count`,
    );
    assert.equal(count, 0);
  });

  test('cannot be started or ended by a page of another site', async () => {
    const account = await signUp(server);
    const foreign = { origin: 'https://evil.example', cookie: account.cookie };
    assert.equal((await postAuth(server, '/sign-out', {}, foreign)).status, 403);
    assert.equal((await postAuth(server, '/sign-in/email', account, foreign)).status, 403);
    assert.ok(await isSignedIn(server, account.cookie));
  });
});

test('too many failed sign-ins get 429 with Retry-After', async () => {
  const strict = await startServer({ role: 'api', clock: stoppedClock(), env: { CHAUFFEUR_LIMIT_SIGN_INS: '3' } });
  try {
    const guess = () => trySignIn(strict, newAccount());
    for (let count = 0; count < 3; count += 1) assert.equal((await guess()).status, 401);
    const refused = await guess();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  } finally {
    await strict.stop();
  }
});

describe('a password reset', () => {
  /** Requests a reset and returns the link from its mail. */
  async function askForReset({ email }: Pick<Account, 'email'>): Promise<string> {
    const linksOf = async () =>
      (await mailsTo(server, email))
        .filter(({ subject }) => /new Chauffeur password/.test(subject))
        .map(({ link }) => link);
    const earlier = new Set(await linksOf());
    const response = await postAuth(server, '/request-password-reset', { email, redirectTo: '/reset' });
    assert.equal(response.status, 200);
    return until(async () => (await linksOf()).find((link) => !earlier.has(link)));
  }

  /** Opens the link, sets a new password and returns the response. */
  async function reset(link: string) {
    const target = new URL((await openLink(link)).headers.get('location') ?? '', server.url);
    const token = target.searchParams.get('token');
    const response = await postAuth(server, '/reset-password', { token, newPassword: `a new ${newId()}` });
    assert.equal(response.status, 200);
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at what came, whatever its shape.
    return (await response.json()) as any;
  }

  async function mcpStatus(bearer: string): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${bearer}`,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    return (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).status;
  }

  test('stores a hash of the token in the mail, and the hash is not a token', async () => {
    const account = await signUp(server);
    const token = new URL(await askForReset(account)).pathname.split('/').at(-1) ?? '';
    assert.ok(token.length > 20);
    // The mail is deleted from the queue once it is sent.
    await until(async () => !(await readWholeDatabase(server.ctx.db)).includes(token));
    const { identifier } = await onlyRow(
      server.ctx.db,
      sql<{ identifier: string }>`select identifier from user_verifications
        where identifier like 'reset-password%' and value = (select id from users where email = ${account.email})`,
    );
    for (const guess of [
      identifier,
      identifier.slice('reset-password'.length),
      identifier.slice('reset-password#'.length),
    ])
      assert.equal(
        (await postAuth(server, '/reset-password', { token: guess, newPassword: `x ${newId()}` })).status,
        400,
      );
    assert.equal((await postAuth(server, '/reset-password', { token, newPassword: `a new ${newId()}` })).status, 200);
  });

  test('sets a new password through the mailed link and ends every session', async () => {
    const account = await signUp(server);
    const opened = await openLink(await askForReset(account));
    const target = new URL(opened.headers.get('location') ?? '', server.url);
    assert.deepEqual([opened.status, target.pathname], [302, '/reset']);
    const token = target.searchParams.get('token');
    const password = `a new ${newId()}`;
    assert.equal((await postAuth(server, '/reset-password', { token, newPassword: password })).status, 200);
    assert.equal(await isSignedIn(server, account.cookie), false);
    assert.equal((await trySignIn(server, account)).status, 401);
    assert.equal((await trySignIn(server, { ...account, password })).status, 200);
    const again = await postAuth(server, '/reset-password', { token, newPassword: 'a third password' });
    assert.equal(again.status, 400);
  });

  test('revokes personal keys and connected programs, and lists the deploy keys that still work', async () => {
    const game = await makeGame(server);
    const { cookie } = await signIn(server, game.owner);
    const key = await makeKey(server, { cookie }, { name: 'Editor' });
    const tokens = await connectProgram(server, cookie);
    const login = await signInCommand(server, { cookie });
    assert.equal((await useLogin(server, login.key)).status, 200);
    const bearers = [key.key, tokens.access_token];
    for (const bearer of bearers) assert.equal(await mcpStatus(bearer), 200);
    const stranger = await makeGame(server);
    const late = await askForReset(game.owner);

    const body = await reset(await askForReset(game.owner));
    assert.deepEqual(body.revoked, { sessions: 1, personal_keys: 1, api_tokens: 0, programs: 1, cli_logins: 1 });
    assert.deepEqual(
      body.deploy_keys.map(({ game_uid, key_ref }: { game_uid: string; key_ref: string }) => [game_uid, key_ref]),
      [[game.uid, game.keyHeaders['x-access-token'].slice(0, 8)]],
    );
    for (const bearer of bearers) assert.equal(await mcpStatus(bearer), 401);
    assert.deepEqual(statusOf(await useLogin(server, login.key)), [401, 4027]);
    assert.equal((await refresh(server, tokens.client, tokens.refresh_token)).status, 400);
    const mail = await mailTo(server, game.owner.email, /password was changed/);
    assert.match(mail.text, /Personal keys revoked: 1\n(.*\n){2}Commands signed out: 1/);
    assert.ok(mail.text.includes(game.keyHeaders['x-access-token'].slice(0, 8)));
    // A link requested before the reset no longer works.
    assert.match((await openLink(late)).headers.get('location') ?? '', /error=INVALID_TOKEN/);

    const deployKey = async ({ keyHeaders }: TestGame) =>
      (await request(`${server.api}/tool/info`, { headers: keyHeaders })).status;
    assert.equal(await deployKey(game), 200);
    const revoke = (token: string) => callApi(server, {}, 'POST', '/account/credentials/revoke-after-reset', { token });
    for (const token of ['', 'x', `${body.revoke_token}A`, body.revoke_token.slice(1)])
      assert.equal((await revoke(token)).status, 400, token);
    assert.equal(await deployKey(game), 200);
    assert.deepEqual((await revoke(body.revoke_token)).body.data, { deploy_keys: 1 });
    assert.deepEqual((await revoke(body.revoke_token)).body.data, { deploy_keys: 0 });
    assert.equal(await deployKey(game), 401);
    assert.equal(await deployKey(stranger), 200);
  });

  test('of an admin does not list the deploy keys of the game', async () => {
    const game = await makeGame(server);
    const admin = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const body = await reset(await askForReset(admin));
    assert.deepEqual([body.revoked.sessions, body.deploy_keys], [1, []]);
  });

  test('for an unknown email gets the same response and sends no mail', async () => {
    const account = await signUp(server);
    const unknown = newAccount();
    const [one, other] = await Promise.all(
      [account, unknown].map(({ email }) =>
        postAuth(server, '/request-password-reset', { email, redirectTo: '/reset' }),
      ),
    );
    assert.deepEqual([one?.status, await one?.json()], [other?.status, await other?.json()]);
    await mailTo(server, account.email, /new Chauffeur password/);
    assert.deepEqual(await mailsTo(server, unknown.email), []);
  });

  test('never redirects its token to another site', async () => {
    const { email } = await signUp(server);
    const response = await postAuth(server, '/request-password-reset', { email, redirectTo: 'https://evil.example/' });
    assert.equal(response.status, 403);
  });
});

test('a signed-in user sees which credentials work without the password and revokes them by kind', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  const make = () => makeKey(server, headers, { mayWrite: false });
  await Promise.all([make(), make()]);
  const { access_token: bearer } = await connectProgram(server, headers.cookie);
  const login = await signInCommand(server, headers);
  const readCounts = async () => {
    const { data } = (await callApi(server, headers, 'GET', '/account/credentials')).body;
    return [data.personal_keys, data.programs, data.cli_logins, data.deploy_keys.length];
  };
  const revoke = (kinds: object, caller: object = headers) =>
    callApi(server, caller, 'POST', '/account/credentials/revoke', kinds);
  assert.deepEqual(await readCounts(), [2, 1, 1, 1]);
  const none = { personal_keys: 0, api_tokens: 0, programs: 0, cli_logins: 0 };
  assert.equal((await revoke({ personal_keys: true }, {})).status, 401);
  assert.equal((await revoke({ deploy_keys: true }, { ...headers, origin: 'https://evil.example' })).status, 403);
  assert.equal((await revoke({ deploy_keys: true }, { authorization: `Bearer ${bearer}` })).status, 401);
  assert.deepEqual((await revoke({})).body.data, { ...none, deploy_keys: 0 });
  assert.deepEqual((await revoke({ personal_keys: true })).body.data, {
    ...none,
    personal_keys: 2,
    deploy_keys: 0,
  });
  assert.deepEqual(await readCounts(), [0, 1, 1, 1]);
  const rest = { personal_keys: true, programs: true, cli_logins: true, deploy_keys: true };
  assert.deepEqual((await revoke(rest)).body.data, { ...none, programs: 1, cli_logins: 1, deploy_keys: 1 });
  assert.equal((await useLogin(server, login.key)).status, 401);
  assert.deepEqual(await readCounts(), [0, 0, 0, 0]);
});
