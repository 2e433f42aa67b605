// Authenticator apps, backup codes and trusted browsers on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { cookieOf, isSignedIn, openLink, postAuth, signUp, signUpVerified, trySignIn } from './setup/accounts.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { request, startServer, type TestServer } from './setup/server.ts';
import { addApp, codeAt, enterPassword, nextCode, wrongCode } from './setup/totp.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const verify = (cookie: string, body: object, route = 'totp') =>
  postAuth(server, `/two-factor/verify-${route === 'totp' ? 'totp' : 'backup-code'}`, body, { cookie });

/** A time in the step of the last code that the account used. */
async function timeOfUse(email: string): Promise<number> {
  const { step } = await onlyRow(
    server.ctx.db,
    sql<{ step: number }>`select last_used_step as step from user_two_factors
      join users on users.id = user_id where email = ${email}`,
  );
  return step * 30_000;
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { error?: { code?: unknown } }).error?.code;
}

describe('an account with an authenticator app', () => {
  test('is signed in only with the password and a current code', async () => {
    const account = await signUp(server);
    const { secret } = await addApp(server, account);
    const waiting = await enterPassword(server, account);
    assert.equal(await isSignedIn(server, waiting), false);
    const wrong = await verify(waiting, { code: wrongCode(secret) });
    assert.deepEqual([wrong.status, await codeOf(wrong)], [401, 4015]);
    const right = await verify(waiting, { code: nextCode(secret) });
    assert.equal(right.status, 200);
    assert.equal(await isSignedIn(server, cookieOf(right)), true);
    const again = await verify(waiting, { code: nextCode(secret) });
    assert.deepEqual([again.status, await codeOf(again)], [401, 4016]);
  });

  test('accepts each code once, even if it is entered twice at the same moment', async () => {
    const account = await signUp(server);
    // The code that added the app is used, too.
    const { secret } = await addApp(server, account);
    const waiting = await enterPassword(server, account);
    const used = await verify(waiting, { code: codeAt(secret, await timeOfUse(account.email)) });
    const { error } = (await used.json()) as { error: { code: number; message: string } };
    assert.deepEqual([used.status, error.code], [401, 4015]);
    assert.equal(error.message, 'This code was already used. Wait for the next one.');
    const others = await Promise.all(Array.from({ length: 4 }, () => enterPassword(server, account)));
    const code = nextCode(secret);
    const answers = await Promise.all([waiting, ...others].map((each) => verify(each, { code })));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 401, 401, 401, 401]);
  });

  test('is off until the first code was entered', async () => {
    const account = await signUp(server);
    const { password, cookie } = account;
    assert.equal((await postAuth(server, '/two-factor/enable', { password }, { cookie })).status, 200);
    assert.equal((await postAuth(server, '/two-factor/verify-totp', { code: '000000' }, { cookie })).status, 401);
    assert.ok(await isSignedIn(server, cookieOf(await trySignIn(server, account))));
  });

  test('needs the password to be added and removed', async () => {
    const account = await signUp(server);
    const { cookie } = account;
    for (const password of ['', 'wrong password'])
      assert.equal((await postAuth(server, '/two-factor/enable', { password }, { cookie })).status, 400, password);
    const app = await addApp(server, account);
    for (const body of [{ password: 'wrong password' }, {}])
      assert.equal((await postAuth(server, '/two-factor/disable', body, { cookie: app.cookie })).status, 400);
    const { password } = account;
    assert.equal((await postAuth(server, '/two-factor/disable', { password }, { cookie: app.cookie })).status, 200);
    assert.ok(await isSignedIn(server, cookieOf(await trySignIn(server, account))));
    await mailTo(server, account.email, /Two-step sign-in is on/);
    await mailTo(server, account.email, /Two-step sign-in is off/);
  });

  test('stops a sign-in after five wrong codes, and pauses after ten', async () => {
    const account = await signUp(server);
    const { secret } = await addApp(server, account);
    const code = wrongCode(secret);
    const first = await enterPassword(server, account);
    for (let count = 0; count < 5; count += 1) assert.equal((await verify(first, { code })).status, 401);
    assert.equal(await codeOf(await verify(first, { code: nextCode(secret) })), 4016);
    const second = await enterPassword(server, account);
    for (let count = 0; count < 5; count += 1) assert.equal((await verify(second, { code })).status, 401);
    const third = await enterPassword(server, account);
    const locked = await verify(third, { code: nextCode(secret) });
    assert.deepEqual([locked.status, await codeOf(locked)], [429, 4290]);
  });

  test('counts guesses that arrive at the same moment', async () => {
    const account = await signUp(server);
    const { secret } = await addApp(server, account);
    const waiting = await enterPassword(server, account);
    const guesses = Array.from({ length: 20 }, () => verify(waiting, { code: wrongCode(secret) }));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.ok(statuses.every((status) => status >= 400 && status < 500));
    assert.notEqual((await verify(waiting, { code: nextCode(secret) })).status >= 500, true);
  });

  test('accepts each backup code once, and reports its use', async () => {
    const account = await signUp(server);
    const { backupCodes } = await addApp(server, account);
    const code = backupCodes[0]!;
    const used = await verify(await enterPassword(server, account), { code }, 'backup');
    assert.ok(await isSignedIn(server, cookieOf(used)));
    const again = await verify(await enterPassword(server, account), { code }, 'backup');
    assert.deepEqual([again.status, await codeOf(again)], [401, 4015]);
    await mailTo(server, account.email, /backup code was used/);
    const two = await Promise.all(
      [await enterPassword(server, account), await enterPassword(server, account)].map((waiting) =>
        verify(waiting, { code: backupCodes[1]! }, 'backup'),
      ),
    );
    assert.equal(two.filter(({ status }) => status === 200).length, 1);
  });

  test('stores no secret or code in plain text', async () => {
    const account = await signUp(server);
    const { secret, backupCodes } = await addApp(server, account);
    const stored = JSON.stringify(await rows(server.ctx.db, sql`select * from user_two_factors`));
    for (const plain of [secret.toString(), ...backupCodes]) assert.ok(!stored.includes(plain), plain);
  });

  test('keeps its second factor when the password is reset, and forgets trusted browsers', async () => {
    const account = await signUp(server);
    const { secret } = await addApp(server, account);
    const trusted = await verify(await enterPassword(server, account), { code: nextCode(secret), trustDevice: true });
    const trust = cookieOf(trusted).match(/[^ ]*trust_device=[^;]*/)?.[0] ?? '';
    const signInTrusted = (password: string) =>
      postAuth(server, '/sign-in/email', { email: account.email, password }, { cookie: trust });
    const quick = await signInTrusted(account.password);
    assert.ok(await isSignedIn(server, cookieOf(quick)));
    const waiting = await enterPassword(server, account);

    await postAuth(server, '/request-password-reset', { email: account.email, redirectTo: '/reset' });
    const opened = await openLink((await mailTo(server, account.email, /new Chauffeur password/)).link);
    const token = new URL(opened.headers.get('location') ?? '', server.url).searchParams.get('token');
    const newPassword = `a new ${newId()}`;
    const reset = await postAuth(server, '/reset-password', { token, newPassword });
    assert.equal(reset.status, 200);
    assert.equal(await isSignedIn(server, cookieOf(reset)), false);
    // Nor does a sign-in with the earlier password continue.
    assert.equal(await codeOf(await verify(waiting, { code: codeAt(secret) })), 4016);
    const renewed = cookieOf(quick).match(/[^ ]*trust_device=[^;]*/)?.[0] ?? '';
    const body = { email: account.email, password: newPassword };
    const next = await postAuth(server, '/sign-in/email', body, { cookie: renewed });
    assert.equal(((await next.json()) as { twoFactorRedirect?: boolean }).twoFactorRedirect, true);
  });

  test('is not signed in by a link from a mail', async () => {
    const account = await signUp(server);
    await addApp(server, account);
    const opened = await openLink((await mailTo(server, account.email, /Verify/)).link);
    assert.match(opened.headers.get('location') ?? '', /SIGN_IN_FIRST/);
    assert.equal(await isSignedIn(server, cookieOf(opened)), false);
    const { body } = await request(`${server.url}/api/auth/get-session`, { headers: { cookie: account.cookie } });
    assert.equal(body, null);
  });
});

describe('the mail about a sign-in', () => {
  const signInFrom = (account: { email: string; password: string }, userAgent: string, cookie = '') =>
    postAuth(server, '/sign-in/email', account, { 'user-agent': userAgent, cookie });
  const countEmails = async (email: string) =>
    (await mailsTo(server, email)).filter(({ subject }) => /New sign-in/.test(subject)).length;

  test('is sent for a browser that was not seen before, with when, from where and what to do', async () => {
    const { email, password } = await signUpVerified(server);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await signInFrom({ email, password }, firefox);
    const mail = await mailTo(server, email, /New sign-in/);
    assert.match(mail.text, /When: \d{4}-\d\d-\d\d \d\d:\d\d UTC\nBrowser: Firefox on Linux\nIP address: 127\.0\.0\.1/);
    assert.match(mail.text, /If this wasn't you/);
    assert.ok(mail.html.includes(`${server.url}/reset`));
    const again = await signInFrom({ email, password }, firefox);
    await signInFrom({ email, password }, 'Mozilla/5.0 Firefox/150.0', cookieOf(again));
    const other = await signUpVerified(server);
    await signInFrom(other, firefox);
    await mailTo(server, other.email, /New sign-in/);
    assert.equal(await countEmails(email), 1);
  });

  test('is not sent for the first browser of an account, and not more than five times a day', async () => {
    const account = await signUpVerified(server);
    for (let count = 0; count < 8; count += 1) await signInFrom(account, `curl/8.${count}`);
    const other = await signUpVerified(server);
    await signInFrom(other, 'curl/9');
    await mailTo(server, other.email, /New sign-in/);
    assert.ok((await countEmails(account.email)) <= 5);
    assert.ok((await countEmails(account.email)) >= 4);
  });
});

test('a changed password is reported, and so is a changed email at the earlier address', async () => {
  const account = await signUpVerified(server);
  const { email, password, cookie } = account;
  const newPassword = `a new ${newId()}`;
  const changed = await postAuth(server, '/change-password', { currentPassword: password, newPassword }, { cookie });
  assert.equal(changed.status, 200);
  const mail = await mailTo(server, email, /password was changed/);
  assert.match(mail.text, /The password of your Chauffeur account was changed\./);
  const newEmail = `new-${newId()}@example.com`;
  const current = cookieOf(await trySignIn(server, { email, password: newPassword }));
  await postAuth(server, '/change-email', { newEmail, callbackURL: '/verify' }, { cookie: current });
  await openLink((await mailTo(server, email, /Confirm the change/)).link);
  await openLink((await mailTo(server, newEmail, /Confirm your new/)).link);
  await mailTo(server, email, /email was changed/);
});
