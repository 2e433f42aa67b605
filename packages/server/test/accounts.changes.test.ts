// Changing the email of an account and deleting an account, on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  isSignedIn,
  isVerified,
  newAccount,
  openLink,
  postAuth,
  readSessionUser,
  signUp,
  signUpVerified,
  trySignIn,
} from './setup/accounts.ts';
import { callApi } from './setup/api-calls.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('changing the email', () => {
  const change = (cookie: string, newEmail: string) =>
    postAuth(server, '/change-email', { newEmail, callbackURL: '/verify?change=1' }, { cookie });
  const emailOf = async (cookie: string) => (await readSessionUser(server, cookie)).email;

  test('requires the links sent to both addresses, the old one first', async () => {
    const account = await signUpVerified(server);
    const { email: next } = newAccount();
    assert.equal((await change(account.cookie, next)).status, 200);
    const confirm = await mailTo(server, account.email, /Confirm the change/);
    assert.ok(confirm.text.includes(next));
    assert.deepEqual(await mailsTo(server, next), []);
    const first = await openLink(confirm.link);
    assert.deepEqual([first.status, first.headers.get('location')], [302, '/verify?change=1']);
    assert.equal(await emailOf(account.cookie), account.email);
    const confirmNew = await mailTo(server, next, /Confirm your new/);
    assert.equal((await openLink(confirmNew.link)).status, 302);
    assert.equal(await emailOf(account.cookie), next);
    assert.equal(await isVerified(server, next), true);
    assert.equal((await trySignIn(server, { ...account, email: next })).status, 200);
    assert.equal((await trySignIn(server, account)).status, 401);
    // A used link reports an error and changes nothing.
    for (const { link } of [confirm, confirmNew]) {
      const again = await openLink(link);
      assert.match(again.headers.get('location') ?? '', /error=/);
    }
  });

  test('requires only the link sent to the new address if the old one was never verified', async () => {
    const account = await signUp(server);
    const { email: next } = newAccount();
    await change(account.cookie, next);
    await openLink((await mailTo(server, next, /Confirm your new/)).link);
    assert.equal(await emailOf(account.cookie), next);
  });

  test('does not reveal whether the new address has an account, and leaves that account alone', async () => {
    const [account, other] = [await signUpVerified(server), await signUp(server)];
    const [inUse, unused] = await Promise.all([
      change(account.cookie, other.email),
      change(account.cookie, newAccount().email),
    ]);
    assert.deepEqual([inUse.status, await inUse.json()], [unused.status, await unused.json()]);
    assert.deepEqual(
      (await mailsTo(server, other.email)).filter(({ subject }) => /new Chauffeur/.test(subject)),
      [],
    );
  });

  test('redirects with an error if an account for the new address was created in the meantime', async () => {
    const account = await signUpVerified(server);
    const late = newAccount();
    await change(account.cookie, late.email);
    await openLink((await mailTo(server, account.email, /Confirm the change/)).link);
    const { link } = await mailTo(server, late.email, /Confirm your new/);
    await postAuth(server, '/sign-up/email', { ...late, name: 'Quicker' });
    const refused = await openLink(link);
    assert.deepEqual([refused.status, refused.headers.get('location')], [302, '/verify?change=1&error=EMAIL_TAKEN']);
    assert.equal(await emailOf(account.cookie), account.email);
  });

  test('invalidates password reset links sent to the old address', async () => {
    const account = await signUpVerified(server);
    const { email: next } = newAccount();
    await postAuth(server, '/request-password-reset', { email: account.email, redirectTo: '/reset' });
    const { link } = await mailTo(server, account.email, /new Chauffeur password/);
    await change(account.cookie, next);
    await openLink((await mailTo(server, account.email, /Confirm the change/)).link);
    await openLink((await mailTo(server, next, /Confirm your new/)).link);
    const opened = await openLink(link);
    assert.match(opened.headers.get('location') ?? '', /error=INVALID_TOKEN/);
  });

  test('is refused for pages of other sites and for visitors', async () => {
    const account = await signUpVerified(server);
    const body = { newEmail: newAccount().email };
    const foreign = await postAuth(server, '/change-email', body, {
      cookie: account.cookie,
      origin: 'https://evil.example',
    });
    assert.equal(foreign.status, 403);
    assert.equal((await postAuth(server, '/change-email', body)).status, 401);
  });
});

describe('deleting an account', () => {
  const remove = (cookie: string, password: string) => postAuth(server, '/delete-user', { password }, { cookie });

  test('requires the password and ends every session', async () => {
    const account = await signUp(server);
    const wrong = await remove(account.cookie, 'not the password');
    assert.deepEqual([wrong.status, await isSignedIn(server, account.cookie)], [400, true]);
    assert.equal((await remove(account.cookie, account.password)).status, 200);
    assert.equal(await isSignedIn(server, account.cookie), false);
    assert.equal((await trySignIn(server, account)).status, 401);
  });

  test('is refused without the password, even right after signing in', async () => {
    const account = await signUp(server);
    for (const body of [{}, { password: '' }, { password: null }, { token: 'x' }, { token: 'x', password: '' }]) {
      const response = await postAuth(server, '/delete-user', body, { cookie: account.cookie });
      const { error, data } = (await response.json()) as { error: { code: number }; data: { reason: string } };
      assert.deepEqual([response.status, error.code, data.reason], [400, 4002, 'PASSWORD_REQUIRED']);
    }
    assert.equal(await isSignedIn(server, account.cookie), true);
  });

  test('either succeeds or leaves a working account if a game is created concurrently', async () => {
    const account = await signUp(server);
    const [creation, removed] = await Promise.all([
      callApi(server, { cookie: account.cookie }, 'POST', '/games', { name: 'Just in time' }),
      remove(account.cookie, account.password),
    ]);
    assert.ok(removed.status < 500 && creation.status < 500, `${creation.status} ${removed.status}`);

    assert.equal((await trySignIn(server, account)).status, removed.status === 200 ? 401 : 200);
  });

  test('is refused while the account owns a game, and changes nothing', async () => {
    const account = await signUp(server);
    const creation = await callApi(server, { cookie: account.cookie }, 'POST', '/games', { name: 'Kept' });
    assert.equal(creation.status, 201);
    const refused = await remove(account.cookie, account.password);
    const { error, code } = (await refused.json()) as { error: { code: number }; code: string };
    assert.deepEqual([refused.status, error.code, code], [409, 4093, 'OWNS_GAMES']);
    assert.equal(await isSignedIn(server, account.cookie), true);
  });
});
