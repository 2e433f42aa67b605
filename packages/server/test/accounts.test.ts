// Accounts on the real server: sign-up, the mails and their links, sessions, new passwords, and a real mail server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { displayNameProblem } from '@chauffeur/contract/display-name';
import { sql } from 'kysely';
import { createUser } from '../src/features/accounts/accounts.ts';
import { changed, onlyRow, rows, transact } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { connectProgram, refresh } from './setup/oauth.ts';
import { openPostOffice } from './setup/post-office.ts';
import {
  makeGame,
  makePlayer,
  request,
  signIn as signInAs,
  startServer,
  type TestGame,
  type TestServer,
  until,
} from './setup/server.ts';
import { formOf, register, smallZip, upload, uploadFields } from './setup/uploads.ts';

type Account = { email: string; password: string };

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

function newAccount(): Account {
  return { email: `dev-${newId()}@example.com`, password: `secret ${newId()}` };
}

function post(path: string, body: unknown, headers: Record<string, string> = {}, at = server): Promise<Response> {
  return fetch(`${at.url}/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: at.url, ...headers },
    body: JSON.stringify(body),
  });
}

async function signUp(at = server): Promise<Account & { cookie: string }> {
  const account = newAccount();
  const response = await post('/sign-up/email', { ...account, name: 'New Developer' }, {}, at);
  assert.equal(response.status, 200, await response.clone().text());
  return { ...account, cookie: cookieOf(await signIn(account, at)) };
}

function signIn({ email, password }: Account, at = server): Promise<Response> {
  return post('/sign-in/email', { email, password }, {}, at);
}

/** The cookies that an answer sets, as a browser sends them back. */
function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function isSignedIn(cookie: string): Promise<boolean> {
  const { status } = await request(`${server.api}/games`, { headers: { cookie } });
  return status === 200;
}

async function isVerified(email: string, at = server): Promise<boolean> {
  const query = sql<{ email_verified: boolean }>`select email_verified from users where email = ${email}`;
  return (await onlyRow(at.ctx.db, query)).email_verified;
}

/** Opens a link as a mail program does: no cookie, no redirect followed. */
function open(link: string): Promise<Response> {
  return fetch(link, { redirect: 'manual' });
}

test('a person may sign in at any name of this machine, and at no other site', async () => {
  const account = await signUp();
  const { port } = new URL(server.url);
  const statusAt = async (origin: string) =>
    (await post('/sign-in/email', { email: account.email, password: account.password }, { origin })).status;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) assert.equal(await statusAt(`http://${name}:${port}`), 200);
  for (const origin of [`http://localhost:${Number(port) + 1}`, `http://evil.example:${port}`, 'null'])
    assert.equal(await statusAt(origin), 403, origin);
});

describe('signing up', () => {
  test('sends a mail whose link verifies the email', async () => {
    const { email } = await signUp();
    const mail = await mailTo(server, email, /Verify your email/);
    assert.ok(mail.link.startsWith(`${server.url}/api/auth/verify-email?token=`), mail.link);
    assert.equal(await isVerified(email), false);
    const opened = await open(mail.link);
    assert.equal(opened.status, 302);
    assert.equal(await isVerified(email), true);
    assert.ok(await isSignedIn(cookieOf(opened)));
  });

  test('does not verify by a link that was changed', async () => {
    const { email } = await signUp();
    const { link } = await mailTo(server, email, /Verify/);
    const changed = new URL(link);
    const token = changed.searchParams.get('token') ?? '';
    changed.searchParams.set('token', `${token.slice(0, -5)}AAAAA`);
    await open(changed.href);
    await open(link.replace(token, ''));
    assert.equal(await isVerified(email), false);
  });

  test('answers alike whether or not there is an account, and tells an existing account by mail', async () => {
    const account = await signUp();
    const send = (email: string) =>
      post('/sign-up/email', { email, password: 'another password', name: 'Other', callbackURL: '/verify' });
    const [known, upper, unknown] = await Promise.all([
      send(account.email),
      send(account.email.toUpperCase()),
      send(newAccount().email),
    ]);
    const seen = async (response: Response) => [
      response.status,
      await response.json(),
      [...response.headers.keys()].sort(),
      response.headers.getSetCookie(),
    ];
    assert.deepEqual(await seen(known), await seen(unknown));
    assert.equal(upper.status, unknown.status);
    const mail = await mailTo(server, account.email, /already have a Chauffeur account/);
    assert.ok(mail.link.startsWith(`${server.url}/sign-in`), mail.link);
    assert.equal((await signIn(account)).status, 200);
    assert.equal((await signIn({ ...account, password: 'another password' })).status, 401);
  });

  test('twice at the same moment answers alike, and makes one account', async () => {
    const account = newAccount();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post('/sign-up/email', { ...account, name: 'Twin' })),
    );
    const seen = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
    for (const one of seen) assert.deepEqual(one, seen[0]);
    assert.equal(seen[0]?.[0], 200);
    assert.equal((await signIn(account)).status, 200);
  });

  test('is refused alike for a bad name or email, whether or not there is an account', async () => {
    const { email } = await signUp();
    for (const wrong of [{ name: 'a\nb' }, { name: '' }, { image: 'x' }, { password: 'short' }, { rememberMe: 'x' }]) {
      const send = (address: string) =>
        post('/sign-up/email', { name: 'Ada', password: 'correct horse', ...wrong, email: address });
      const [known, unknown] = await Promise.all([send(email), send(newAccount().email)]);
      assert.deepEqual([known.status, await known.json()], [unknown.status, await unknown.json()]);
      assert.equal(known.status, 400);
    }
  });

  test('with a short password or a bad email is refused and changes nothing', async () => {
    const long = `${'x'.repeat(60)}@${`${'y'.repeat(60)}.`.repeat(4)}example`;
    for (const wrong of [{ password: 'short' }, { email: 'no email' }, { email: '' }, { email: long }]) {
      const response = await post('/sign-up/email', { ...newAccount(), name: 'Other', ...wrong });
      assert.equal(response.status, 400);
    }
  });

  test('keeps no password in the database, and gives its session’s cookie to no script', async () => {
    const account = await signUp();
    assert.ok(!(await readWholeDatabase(server.ctx.db)).includes(account.password));
    const [cookie = ''] = (await signIn(account)).headers.getSetCookie();
    assert.match(cookie, /^chauffeur\.session_token=/);
    assert.match(cookie, /HttpOnly/i);
    assert.match(cookie, /SameSite=Lax/i);
  });
});

test('uploads are accepted once the owner has opened the verification link', async () => {
  const game = await makeGame(server, { verified: false });
  const zip = smallZip();
  const fields = uploadFields(await register(server, game), zip);
  const send = () => upload(server, game, formOf(fields, zip));
  assert.equal((await send()).body.error?.code, 4096);
  await post('/send-verification-email', { email: game.owner.email });
  const { link } = await mailTo(server, game.owner.email, /Verify/);
  await open(link);
  assert.equal((await send()).status, 201);
});

describe('a session', () => {
  test('begins with the right password, in any case of the email, and with no other', async () => {
    const { email, password } = await signUp();
    const right = await signIn({ email: email.toUpperCase(), password });
    assert.equal(right.status, 200);
    assert.ok(await isSignedIn(cookieOf(right)));
    for (const wrong of [{ password: `${password} ` }, { password: '' }, { email: 'nobody@example.com' }]) {
      const response = await signIn({ email, password, ...wrong });
      assert.ok([400, 401].includes(response.status), String(response.status));
      assert.equal(cookieOf(response), '');
    }
  });

  test('answers alike for a wrong password and an unknown email', async () => {
    const { email } = await signUp();
    const [known, unknown] = await Promise.all([
      signIn({ email, password: 'not the password' }),
      signIn({ email: newAccount().email, password: 'not the password' }),
    ]);
    assert.deepEqual([known.status, await known.json()], [unknown.status, await unknown.json()]);
  });

  test('ends with signing out, for its cookie only', async () => {
    const account = await signUp();
    const other = cookieOf(await signIn(account));
    const response = await post('/sign-out', {}, { cookie: account.cookie });
    assert.equal(response.status, 200);
    assert.deepEqual([await isSignedIn(account.cookie), await isSignedIn(other)], [false, true]);
  });

  test('does not begin or end from a page of another site', async () => {
    const account = await signUp();
    const foreign = { origin: 'https://evil.example', cookie: account.cookie };
    assert.equal((await post('/sign-out', {}, foreign)).status, 403);
    assert.equal((await post('/sign-in/email', account, foreign)).status, 403);
    assert.ok(await isSignedIn(account.cookie));
  });
});

describe('a forgotten password', () => {
  /** The link of the newest mail. */
  async function askForReset({ email }: Pick<Account, 'email'>): Promise<string> {
    const linksOf = async () =>
      (await mailsTo(server, email))
        .filter(({ subject }) => /new Chauffeur password/.test(subject))
        .map(({ link }) => link);
    const earlier = new Set(await linksOf());
    const response = await post('/request-password-reset', { email, redirectTo: '/reset' });
    assert.equal(response.status, 200);
    return until(async () => (await linksOf()).find((link) => !earlier.has(link)));
  }

  /** Opens the link and sets a password; the answer. */
  async function reset(link: string) {
    const target = new URL((await open(link)).headers.get('location') ?? '', server.url);
    const token = target.searchParams.get('token');
    const answer = await post('/reset-password', { token, newPassword: `a new ${newId()}` });
    assert.equal(answer.status, 200);
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at what came, whatever its shape.
    return (await answer.json()) as any;
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

  test('is replaced through the mail’s link, and every session ends', async () => {
    const account = await signUp();
    const opened = await open(await askForReset(account));
    const target = new URL(opened.headers.get('location') ?? '', server.url);
    assert.deepEqual([opened.status, target.pathname], [302, '/reset']);
    const token = target.searchParams.get('token');
    const password = `a new ${newId()}`;
    assert.equal((await post('/reset-password', { token, newPassword: password })).status, 200);
    assert.equal(await isSignedIn(account.cookie), false);
    assert.equal((await signIn(account)).status, 401);
    assert.equal((await signIn({ ...account, password })).status, 200);
    const again = await post('/reset-password', { token, newPassword: 'a third password' });
    assert.equal(again.status, 400);
  });

  test('ends personal keys and connected programs, and says which deploy keys still work', async () => {
    const game = await makeGame(server);
    const { cookie } = await signInAs(server, game.owner);
    const headers = { cookie, origin: server.url, 'content-type': 'application/json' };
    const key = await request(`${server.api}/account/agent-keys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Editor', may_write: true }),
    });
    const tokens = await connectProgram(server, cookie);
    const bearers = [key.body.data.key, tokens.access_token];
    for (const bearer of bearers) assert.equal(await mcpStatus(bearer), 200);
    const stranger = await makeGame(server);
    const late = await askForReset(game.owner);

    const answer = await reset(await askForReset(game.owner));
    assert.deepEqual(answer.revoked, { sessions: 1, personal_keys: 1, programs: 1 });
    assert.deepEqual(
      answer.deploy_keys.map(({ game_uid, key_ref }: { game_uid: string; key_ref: string }) => [game_uid, key_ref]),
      [[game.uid, game.keyHeaders['x-access-token'].slice(0, 8)]],
    );
    for (const bearer of bearers) assert.equal(await mcpStatus(bearer), 401);
    assert.equal((await refresh(server, tokens.client, tokens.refresh_token)).status, 400);
    const mail = await mailTo(server, game.owner.email, /password was changed/);
    assert.match(mail.text, /Personal keys revoked: 1/);
    assert.ok(mail.text.includes(game.keyHeaders['x-access-token'].slice(0, 8)));
    // A second link, asked for before, is of no more use.
    assert.match((await open(late)).headers.get('location') ?? '', /error=INVALID_TOKEN/);

    const deployKey = async ({ keyHeaders }: TestGame) =>
      (await request(`${server.api}/tool/info`, { headers: keyHeaders })).status;
    assert.equal(await deployKey(game), 200);
    const revoke = (token: string) =>
      request(`${server.api}/account/credentials/revoke-after-reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    for (const token of ['', 'x', `${answer.revoke_token}A`, answer.revoke_token.slice(1)])
      assert.equal((await revoke(token)).status, 400, token);
    assert.equal(await deployKey(game), 200);
    assert.deepEqual((await revoke(answer.revoke_token)).body.data, { deploy_keys: 1 });
    assert.deepEqual((await revoke(answer.revoke_token)).body.data, { deploy_keys: 0 });
    assert.equal(await deployKey(game), 401);
    assert.equal(await deployKey(stranger), 200);
  });

  test('of somebody who only administers a game leaves its deploy key alone', async () => {
    const game = await makeGame(server);
    const admin = await makePlayer(server);
    await changed(
      server.ctx.db,
      sql`insert into game_admins (game_id, user_id, added_at) values (${game.uid}, ${admin.id}, now())`,
    );
    const answer = await reset(await askForReset(admin));
    assert.deepEqual([answer.revoked.sessions, answer.deploy_keys], [1, []]);
  });

  test('of an unknown email is answered alike, and no mail is sent', async () => {
    const known = await signUp();
    const unknown = newAccount();
    const [one, other] = await Promise.all(
      [known, unknown].map(({ email }) => post('/request-password-reset', { email, redirectTo: '/reset' })),
    );
    assert.deepEqual([one?.status, await one?.json()], [other?.status, await other?.json()]);
    await mailTo(server, known.email, /new Chauffeur password/);
    assert.deepEqual(await mailsTo(server, unknown.email), []);
  });

  test('cannot be sent on to another site with its token', async () => {
    const { email } = await signUp();
    const response = await post('/request-password-reset', { email, redirectTo: 'https://evil.example/' });
    assert.equal(response.status, 403);
  });
});

test('guessing passwords is slowed down with 429 and Retry-After', async () => {
  const strict = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_SIGN_INS: '3' } });
  try {
    const guess = () => post('/sign-in/email', newAccount(), {}, strict);
    for (let count = 0; count < 3; count += 1) assert.equal((await guess()).status, 401);
    const refused = await guess();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  } finally {
    await strict.stop();
  }
});

test('a signed-in person sees what works without the password, and revokes it by kind', async () => {
  const game = await makeGame(server);
  const headers = { ...(await signInAs(server, game.owner)), origin: server.url, 'content-type': 'application/json' };
  const make = () =>
    request(`${server.api}/account/agent-keys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Editor', may_write: false }),
    });
  await Promise.all([make(), make()]);
  const { access_token: bearer } = await connectProgram(server, headers.cookie);
  const seen = async () => {
    const { data } = (await request(`${server.api}/account/credentials`, { headers })).body;
    return [data.personal_keys, data.programs, data.deploy_keys.length];
  };
  const revoke = async (which: object, sent: Record<string, string> = headers) =>
    request(`${server.api}/account/credentials/revoke`, { method: 'POST', headers: sent, body: JSON.stringify(which) });
  assert.deepEqual(await seen(), [2, 1, 1]);
  assert.equal((await revoke({ personal_keys: true }, { 'content-type': 'application/json' })).status, 401);
  assert.equal((await revoke({ deploy_keys: true }, { ...headers, origin: 'https://evil.example' })).status, 403);
  const byAgent = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  assert.equal((await revoke({ deploy_keys: true }, byAgent)).status, 401);
  assert.deepEqual((await revoke({})).body.data, { personal_keys: 0, programs: 0, deploy_keys: 0 });
  assert.deepEqual((await revoke({ personal_keys: true })).body.data, {
    personal_keys: 2,
    programs: 0,
    deploy_keys: 0,
  });
  assert.deepEqual(await seen(), [0, 1, 1]);
  const rest = { personal_keys: true, programs: true, deploy_keys: true };
  assert.deepEqual((await revoke(rest)).body.data, { personal_keys: 0, programs: 1, deploy_keys: 1 });
  assert.deepEqual(await seen(), [0, 0, 0]);
});

describe('deleting an account', () => {
  const remove = (cookie: string, password: string) => post('/delete-user', { password }, { cookie });

  test('needs the password, and ends every session', async () => {
    const account = await signUp();
    const wrong = await remove(account.cookie, 'not the password');
    assert.deepEqual([wrong.status, await isSignedIn(account.cookie)], [400, true]);
    assert.equal((await remove(account.cookie, account.password)).status, 200);
    assert.equal(await isSignedIn(account.cookie), false);
    assert.equal((await signIn(account)).status, 401);
  });

  test('is refused without the password, also right after signing in', async () => {
    const account = await signUp();
    for (const body of [{}, { password: '' }, { password: null }, { token: 'x' }, { token: 'x', password: '' }]) {
      const response = await post('/delete-user', body, { cookie: account.cookie });
      const { error, data } = (await response.json()) as { error: { code: number }; data: { reason: string } };
      assert.deepEqual([response.status, error.code, data.reason], [400, 4002, 'PASSWORD_REQUIRED']);
    }
    assert.equal(await isSignedIn(account.cookie), true);
  });

  test('leaves the account whole when a game is created at the same moment', async () => {
    const account = await signUp();
    const create = () =>
      request(`${server.api}/games`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: account.cookie, origin: server.url },
        body: JSON.stringify({ name: 'Just in time' }),
      });
    const [made, removed] = await Promise.all([create(), remove(account.cookie, account.password)]);
    assert.ok(removed.status < 500 && made.status < 500, `${made.status} ${removed.status}`);
    // Either the account is gone with all of it, or it still works.
    assert.equal((await signIn(account)).status, removed.status === 200 ? 401 : 200);
  });

  test('is refused while it owns a game, and nothing is lost', async () => {
    const account = await signUp();
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: account.cookie, origin: server.url },
    };
    const made = await request(`${server.api}/games`, { ...init, body: JSON.stringify({ name: 'Kept' }) });
    assert.equal(made.status, 201);
    const refused = await remove(account.cookie, account.password);
    const { error, code } = (await refused.json()) as { error: { code: number }; code: string };
    assert.deepEqual([refused.status, error.code, code], [409, 4093, 'OWNS_GAMES']);
    assert.equal(await isSignedIn(account.cookie), true);
  });
});

describe('changing the email', () => {
  const change = (cookie: string, newEmail: string) =>
    post('/change-email', { newEmail, callbackURL: '/verify?change=1' }, { cookie });
  const emailOf = async (cookie: string) => {
    const session = await request(`${server.url}/api/auth/get-session`, { headers: { cookie } });
    return (session.body as unknown as { user: { email: string } }).user.email;
  };

  async function verified(): Promise<Account & { cookie: string }> {
    const account = await signUp();
    await open((await mailTo(server, account.email, /Verify/)).link);
    return account;
  }

  test('needs the links of both mails, the old address first', async () => {
    const account = await verified();
    const { email: next } = newAccount();
    assert.equal((await change(account.cookie, next)).status, 200);
    const confirm = await mailTo(server, account.email, /Confirm the change/);
    assert.ok(confirm.text.includes(next));
    assert.deepEqual(await mailsTo(server, next), []);
    const first = await open(confirm.link);
    assert.deepEqual([first.status, first.headers.get('location')], [302, '/verify?change=1']);
    assert.equal(await emailOf(account.cookie), account.email);
    const prove = await mailTo(server, next, /Confirm your new/);
    assert.equal((await open(prove.link)).status, 302);
    assert.equal(await emailOf(account.cookie), next);
    assert.equal(await isVerified(next), true);
    assert.equal((await signIn({ ...account, email: next })).status, 200);
    assert.equal((await signIn(account)).status, 401);
    // Links that were used say so, and change nothing.
    for (const { link } of [confirm, prove]) {
      const again = await open(link);
      assert.match(again.headers.get('location') ?? '', /error=/);
    }
  });

  test('of an address that was never verified needs the link of the new one', async () => {
    const account = await signUp();
    const { email: next } = newAccount();
    await change(account.cookie, next);
    await open((await mailTo(server, next, /Confirm your new/)).link);
    assert.equal(await emailOf(account.cookie), next);
  });

  test('does not tell whether the new address has an account, and does not take it from that', async () => {
    const [account, other] = [await verified(), await signUp()];
    const [known, unknown] = await Promise.all([
      change(account.cookie, other.email),
      change(account.cookie, newAccount().email),
    ]);
    assert.deepEqual([known.status, await known.json()], [unknown.status, await unknown.json()]);
    assert.deepEqual(
      (await mailsTo(server, other.email)).filter(({ subject }) => /new Chauffeur/.test(subject)),
      [],
    );
  });

  test('to an address that got an account meanwhile is refused on a page, not with a failure', async () => {
    const account = await verified();
    const late = newAccount();
    await change(account.cookie, late.email);
    await open((await mailTo(server, account.email, /Confirm the change/)).link);
    const { link } = await mailTo(server, late.email, /Confirm your new/);
    await post('/sign-up/email', { ...late, name: 'Quicker' });
    const refused = await open(link);
    assert.deepEqual([refused.status, refused.headers.get('location')], [302, '/verify?change=1&error=EMAIL_TAKEN']);
    assert.equal(await emailOf(account.cookie), account.email);
  });

  test('ends links to reset the password that are in the old mailbox', async () => {
    const account = await verified();
    const { email: next } = newAccount();
    await post('/request-password-reset', { email: account.email, redirectTo: '/reset' });
    const { link } = await mailTo(server, account.email, /new Chauffeur password/);
    await change(account.cookie, next);
    await open((await mailTo(server, account.email, /Confirm the change/)).link);
    await open((await mailTo(server, next, /Confirm your new/)).link);
    const opened = await open(link);
    assert.match(opened.headers.get('location') ?? '', /error=INVALID_TOKEN/);
  });

  test('is refused from a page of another site, and for who is not signed in', async () => {
    const account = await verified();
    const body = { newEmail: newAccount().email };
    const foreign = await post('/change-email', body, { cookie: account.cookie, origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    assert.equal((await post('/change-email', body)).status, 401);
  });
});

describe('a display name', () => {
  const HOSTILE: readonly unknown[] = [
    'x'.repeat(300_000),
    { toString: 'Ada' },
    ['Ada'],
    7,
    null,
    '',
    '   ',
    'Ada\nLovelace',
    'Ada\u0007',
    'Ada\u202eecalevoL',
    '\u200b',
    'Ada\u2028Lovelace',
  ];
  const nameOf = async (cookie: string) => {
    const session = await request(`${server.url}/api/auth/get-session`, { headers: { cookie } });
    return (session.body as unknown as { user: { name: string } }).user.name;
  };

  test('is checked when it is chosen and when it is changed', async () => {
    const { cookie } = await signUp();
    const tries = HOSTILE.map(async (name) => {
      const told = JSON.stringify(name).slice(0, 40);
      const account = newAccount();
      assert.equal((await post('/sign-up/email', { ...account, name })).status, 400, told);
      assert.equal((await signIn(account)).status, 401, told);
      const refused = await post('/update-user', { name }, { cookie });
      const { error } = (await refused.json()) as { error: { code: number; message: string } };
      assert.deepEqual([refused.status, error.code], [400, 4002], told);
      assert.match(error.message, /^name: /);
    });
    await Promise.all(tries);
    assert.equal(await nameOf(cookie), 'New Developer');
    assert.equal((await post('/update-user', { name: '  Zoe\u0308 ' }, { cookie })).status, 200);
    assert.equal(await nameOf(cookie), 'Zo\u00eb');
  });

  test('is checked when the operator chooses it', async () => {
    for (const name of HOSTILE) {
      const account = { ...newAccount(), name: name as string, verified: true };
      await assert.rejects(createUser(server.ctx, server.app.auth, account), /name: /);
    }
  });

  test('that was stored before is made presentable by the migration', async () => {
    const { db } = server.ctx;
    const migration = await readFile(new URL('../migrations/0024_accounts.sql', import.meta.url), 'utf8');
    const cleaning = /create function clean_display_name[\s\S]*?\$\$[\s\S]*?\$\$;/.exec(migration)?.[0] ?? '';
    const good = 'Zo\u00eb 👩‍🚀 & Söhne';
    const names = [good, ...HOSTILE.filter((name) => typeof name === 'string')];
    const [kept, ...clean] = await transact(db, async (tx) => {
      await changed(tx, sql.raw(cleaning.replace('clean_display_name', 'pg_temp.clean_display_name')));
      const found = await rows(
        tx,
        sql<{
          name: string;
        }>`select pg_temp.clean_display_name(name) as name from unnest(${names}::text[]) with ordinality as t (name, at)
          order by at`,
      );
      await changed(tx, sql`drop function pg_temp.clean_display_name(text)`);
      return found.map(({ name }) => name);
    });
    assert.equal(kept, good);
    for (const name of clean) assert.equal(displayNameProblem(name), null, JSON.stringify(name).slice(0, 40));
    assert.ok(clean.includes('Ada Lovelace'));
    // And no other way in stays open.
    const { email } = await signUp();
    await assert.rejects(
      changed(db, sql`update users set name = ${'a\nb'} where email = ${email}`),
      /users_name_check/,
    );
  });
});

test('a configured mail server is sent the mail, with the user and password of its address', async () => {
  const office = await openPostOffice();
  const env = { CHAUFFEUR_SMTP: office.url, CHAUFFEUR_MAIL_FROM: 'Studio <studio@example.com>' };
  const mailing = await startServer({ env });
  try {
    const { email } = await signUp(mailing);
    const mail = await office.take(/Verify your email/);
    assert.deepEqual([mail.to, mail.from, mail.user], [email, 'studio@example.com', 'postman']);
    await open(mail.link);
    assert.equal(await isVerified(email, mailing), true);
    assert.deepEqual(await mailsTo(mailing, email), []);
  } finally {
    await mailing.stop();
    await office.close();
  }
});
