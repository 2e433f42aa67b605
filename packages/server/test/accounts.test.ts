// Accounts on the real server: sign-up, the mails and their links, sessions, new passwords, and a real mail server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyRow } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { openPostOffice } from './setup/post-office.ts';
import { makeGame, request, startServer, type TestServer } from './setup/server.ts';
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
  return { ...account, cookie: cookieOf(response) };
}

function signIn({ email, password }: Account): Promise<Response> {
  return post('/sign-in/email', { email, password });
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

  test('with a known email, a short password or a bad email is refused and changes nothing', async () => {
    const account = await signUp();
    const again = await post('/sign-up/email', { ...account, password: 'another password', name: 'Other' });
    assert.equal(again.status, 422);
    assert.equal((await signIn(account)).status, 200);
    for (const wrong of [{ password: 'short' }, { email: 'no email' }, { email: '' }]) {
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
  async function askForReset({ email }: Account): Promise<string> {
    const response = await post('/request-password-reset', { email, redirectTo: '/reset' });
    assert.equal(response.status, 200);
    return (await mailTo(server, email, /new Chauffeur password/)).link;
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

  test('is refused while it owns a game, and nothing is lost', async () => {
    const account = await signUp();
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: account.cookie, origin: server.url },
    };
    const made = await request(`${server.api}/games`, { ...init, body: JSON.stringify({ name: 'Kept' }) });
    assert.equal(made.status, 201);
    const refused = await remove(account.cookie, account.password);
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [409, 'OWNS_GAMES']);
    assert.equal(await isSignedIn(account.cookie), true);
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
