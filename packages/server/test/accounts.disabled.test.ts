// Operators disable and enable accounts, and reset second factors: over the API and with the command of the server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { setUserDisabled, setUserOperator } from '../src/people/accounts/accounts.ts';
import { cookieOf, isSignedIn, postAuth, trySignIn } from './setup/accounts.ts';
import { makeKey } from './setup/agents.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { signInCommand, useLogin } from './setup/cli-logins.ts';
import { createAccount } from './setup/create-account.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { connectProgram } from './setup/oauth.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
import { addApp, enterPassword, nextCode } from './setup/totp.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let operator: Awaited<ReturnType<typeof makePlayer>>;
before(async () => {
  server = await startServer();
  operator = await makePlayer(server);
  await setUserOperator(server.ctx, operator.email, true);
});
after(() => server.stop());

const act = (userId: string, action: string, caller: { headers: { cookie: string } } = operator) =>
  callApi(server, caller.headers, 'POST', `/operator/users/${userId}/${action}`);

async function mcpStatus(bearer: string): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${bearer}`,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).status;
}

test('a disabled account loses all access at once, and gets all but its sessions back', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  const key = await makeKey(server, headers);
  const tokens = await connectProgram(server, headers.cookie);
  const login = await signInCommand(server, headers);
  const userId = (
    await server.ctx.db
      .selectFrom('users' as never)
      .selectAll()
      .execute()
  ).find((user) => (user as { email: string }).email === game.owner.email) as unknown as { id: string };
  const deployKey = async () => {
    const { status, body } = await request(`${server.api}/tool/info`, { headers: game.keyHeaders });
    return [status, body.error?.code];
  };
  const access = async () => [
    await isSignedIn(server, headers.cookie),
    await mcpStatus(key.key),
    await mcpStatus(tokens.access_token),
    (await useLogin(server, login.key)).status,
  ];
  assert.deepEqual(await access(), [true, 200, 200, 200]);

  const disabled = await act(userId.id, 'disable');
  assert.deepEqual([disabled.status, disabled.body.data.sessions], [200, 0]);
  assert.notEqual(disabled.body.data.disabled_at, null);
  assert.deepEqual(await access(), [false, 401, 401, 401]);
  assert.deepEqual(await deployKey(), [403, 4013]);
  // Only someone with the password learns why.
  const wrong = await trySignIn(server, { ...game.owner, password: 'not the password' });
  const right = await trySignIn(server, game.owner);
  assert.deepEqual([wrong.status, ((await wrong.json()) as Refusal).error.code], [401, 4012]);
  assert.deepEqual([right.status, ((await right.json()) as Refusal).error.code], [403, 4013]);
  assert.equal(cookieOf(right).includes('session_token'), false);
  await mailTo(server, game.owner.email, /account was disabled/);
  assert.equal((await act(userId.id, 'disable')).status, 200);

  assert.equal((await act(userId.id, 'enable')).body.data.disabled_at, null);
  assert.deepEqual(await access(), [false, 200, 200, 200]);
  assert.deepEqual(await deployKey(), [200, undefined]);
  assert.equal((await trySignIn(server, game.owner)).status, 200);
});

type Refusal = { error: { code: number } };

test('keys of a game work while another owner is active, and players are never cut off', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  const second = await makePlayer(server);
  await changed(
    server.ctx.db,
    sql`insert into organisation_members (organisation_id, user_id, role)
      select organisation_id, ${second.id}, 'owner' from games where game_id = ${game.uid}`,
  );
  const scopes = ['builds'];
  const path = `/games/${game.uid}/upload-tokens`;
  const token = (await callApi(server, headers, 'POST', path, { name: 'CI', scopes, expires_in_days: null })).body.data;
  const tokenHeaders = { 'x-access-token': token.access_token, 'x-secret-key': token.secret_key };
  const buildId = await register(server, game, { version: '1.0' });
  const keys = () =>
    Promise.all(
      [game.keyHeaders, tokenHeaders].map(
        async (each) => (await request(`${server.api}/tool/info`, { headers: each })).body.error?.code,
      ),
    );
  const keyEmails = async () =>
    (await mailsTo(server, game.owner.email)).filter(({ subject }) => subject.startsWith('New upload token')).length;
  const subscribers = async (caller: { cookie: string }) =>
    (await callApi(server, caller, 'GET', `/games/${game.uid}/alerts`)).body.data.mail.subscribers.length;
  assert.deepEqual([await keys(), await subscribers(second.headers)], [[undefined, undefined], 2]);
  await setUserDisabled(server.ctx, game.owner.email, true);
  assert.deepEqual([await keys(), await subscribers(second.headers)], [[undefined, undefined], 1]);
  // Mails about the game reach the other owner alone.
  assert.equal(await keyEmails(), 1);
  await callApi(server, second.headers, 'POST', path, { name: 'CI 2', scopes, expires_in_days: null });
  await until(async () => {
    const mails = await mailsTo(server, second.email);
    return mails.some(({ text }) => text.includes('CI 2'));
  });
  assert.equal(await keyEmails(), 1);
  await setUserDisabled(server.ctx, second.email, true);
  assert.deepEqual(await keys(), [4013, 4013]);
  for (const [to, body] of [
    ['crashes', { message: 'Out of memory' }],
    ['events', { events: [{ event: 'session_start', device_uid: 'device-1' }] }],
  ] as const) {
    const sent = await request(`${server.api}/public/${to}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-app-id': game.uid, 'x-build-id': buildId },
      body: JSON.stringify(body),
    });
    assert.ok(sent.status < 300, `${to}: ${JSON.stringify(sent.body)}`);
  }
  await setUserDisabled(server.ctx, second.email, false);
  assert.deepEqual(await keys(), [undefined, undefined]);
  const password = 'correct horse battery';
  const again = await signIn(server, { email: second.email, password });
  const { name } = (await callApi(server, again, 'GET', `/games/${game.uid}`)).body.data;
  const deletion = await callApi(server, again, 'POST', `/games/${game.uid}/deletion`, { name, password });
  assert.equal(deletion.status, 202, JSON.stringify(deletion.body));
  await mailTo(server, second.email, /was deleted$/);
  assert.deepEqual(
    (await mailsTo(server, game.owner.email)).filter(({ subject }) => subject.endsWith('was deleted')),
    [],
  );
});

test('a sign-in at the same moment does not survive', async () => {
  const account = { email: 'race@example.com', password: 'correct horse battery' };
  const { id } = await createAccount(server, { ...account, name: 'Racer', verified: true });
  for (let round = 0; round < 3; round += 1) {
    const signIns = Array.from({ length: 6 }, () => trySignIn(server, account));
    const [, ...responses] = await Promise.all([act(id, 'disable'), ...signIns]);
    for (const response of responses) assert.equal(await isSignedIn(server, cookieOf(response)), false);
    await act(id, 'enable');
  }
});

test('operators cannot disable themselves or the last operator, and others cannot disable anyone', async () => {
  const player = await makePlayer(server);
  assert.deepEqual(statusOf(await act(operator.id, 'disable')), [409, 4095]);
  assert.deepEqual(statusOf(await act(player.id, 'disable', player)), [403, 4033]);
  for (const action of ['disable', 'enable', 'reset-second-factor']) {
    assert.deepEqual(statusOf(await act('00000000-0000-7000-8000-000000000000', action)), [404, 4040]);
    assert.deepEqual(statusOf(await act('unknown', action)), [400, 4002]);
  }
  const other = await makePlayer(server);
  await setUserOperator(server.ctx, other.email, true);
  // Both disable each other: one of them stays.
  const both = await Promise.all([act(other.id, 'disable'), act(operator.id, 'disable', other)]);
  assert.equal(both.filter(({ status }) => status === 200).length, 1);
  const remaining = both[0]?.status === 200 ? operator : other;
  const gone = remaining === operator ? other : operator;
  await act(gone.id, 'enable', remaining);
  await setUserOperator(server.ctx, other.email, false);
  await setUserOperator(server.ctx, operator.email, true);
  operator.headers = await signIn(server, { email: operator.email, password: 'correct horse battery' });
});

test('the command disables, enables and resets a second factor', async () => {
  const account = { email: 'command@example.com', password: 'correct horse battery' };
  await createAccount(server, { ...account, name: 'Command', verified: true });
  const cookie = cookieOf(await trySignIn(server, account));
  const { secret } = await addApp(server, { ...account, cookie });
  const run = (...args: string[]) => runServerCommand(environmentOf(server), ['admin', 'user', ...args, '--json']);
  const disabled = await run('disable', '--email', account.email);
  assert.equal(JSON.parse(disabled.stdout).disabled, true, disabled.stderr);
  assert.equal((await trySignIn(server, account)).status, 403);
  const last = await run('disable', '--email', operator.email);
  assert.notEqual(last.code, 0);
  assert.match(last.stderr, /last active operator/);
  assert.equal((await run('enable', '--email', account.email)).code, 0);

  const waiting = await enterPassword(server, account);
  const reset = await run('reset-second-factor', '--email', account.email);
  assert.equal(JSON.parse(reset.stdout).removed, true, reset.stderr);
  const late = await postAuth(server, '/two-factor/verify-totp', { code: nextCode(secret) }, { cookie: waiting });
  assert.equal(late.status, 401);
  assert.ok(await isSignedIn(server, cookieOf(await trySignIn(server, account))));
  await mailTo(server, account.email, /Two-step sign-in of your Chauffeur account was reset/);
  assert.notEqual((await run('disable', '--email', 'unknown@example.com')).code, 0);
});
