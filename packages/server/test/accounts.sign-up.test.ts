// Signing up on the real server: the verification mail and its link, display names, and a real mail server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { sql } from 'kysely';
import { changed, rows, transact } from '../src/kernel/database/db.ts';
import { createUser } from '../src/people/accounts/accounts.ts';
import {
  cookieOf,
  isSignedIn,
  isVerified,
  newAccount,
  openLink,
  postAuth,
  readSessionUser,
  signUp,
  trySignIn,
} from './setup/accounts.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { openPostOffice } from './setup/post-office.ts';
import { makeGame, startServer, type TestServer } from './setup/server.ts';
import { formOf, register, smallZip, upload, uploadFields } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('signing up', () => {
  test('sends an email whose link verifies the address', async () => {
    const { email } = await signUp(server);
    const mail = await mailTo(server, email, /Verify your email/);
    assert.ok(mail.link.startsWith(`${server.url}/api/auth/verify-email?token=`), mail.link);
    assert.equal(await isVerified(server, email), false);
    const opened = await openLink(mail.link);
    assert.equal(opened.status, 302);
    assert.equal(await isVerified(server, email), true);
    assert.ok(await isSignedIn(server, cookieOf(opened)));
  });

  test('does not verify the address, and signs no one in, if a program opens the link', async () => {
    const { email } = await signUp(server);
    const { link } = await mailTo(server, email, /Verify/);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const opened = await fetch(link, { method, redirect: 'manual' });
      assert.deepEqual(opened.headers.getSetCookie(), []);
      const followed = await fetch(link, { method });
      assert.deepEqual(followed.headers.getSetCookie(), []);
    }
    assert.equal(await isVerified(server, email), false);
    const foreign = await fetch(link, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://evil.example' },
    });
    assert.deepEqual([foreign.status, await isVerified(server, email)], [403, false]);
    const sent = await fetch(link, { method: 'POST', redirect: 'manual', headers: { origin: server.url } });
    assert.deepEqual([sent.status, await isVerified(server, email)], [302, true]);
  });

  test('does not verify the address through a tampered link', async () => {
    const { email } = await signUp(server);
    const { link } = await mailTo(server, email, /Verify/);
    const changed = new URL(link);
    const token = changed.searchParams.get('token') ?? '';
    changed.searchParams.set('token', `${token.slice(0, -5)}AAAAA`);
    await openLink(changed.href);
    await openLink(link.replace(token, ''));
    assert.equal(await isVerified(server, email), false);
  });

  test('gets the same response whether or not the account exists, and emails an existing account', async () => {
    const account = await signUp(server);
    const send = (email: string) =>
      postAuth(server, '/sign-up/email', {
        email,
        password: 'another password',
        name: 'Other',
        callbackURL: '/verify',
      });
    const [existing, upper, fresh] = await Promise.all([
      send(account.email),
      send(account.email.toUpperCase()),
      send(newAccount().email),
    ]);
    const summarize = async (response: Response) => [
      response.status,
      await response.json(),
      [...response.headers.keys()].sort(),
      response.headers.getSetCookie(),
    ];
    assert.deepEqual(await summarize(existing), await summarize(fresh));
    assert.equal(upper.status, fresh.status);
    const mail = await mailTo(server, account.email, /already have a Chauffeur account/);
    assert.ok(mail.link.startsWith(`${server.url}/sign-in`), mail.link);
    assert.equal((await trySignIn(server, account)).status, 200);
    assert.equal((await trySignIn(server, { ...account, password: 'another password' })).status, 401);
  });

  test('several times concurrently creates one account and gets the same response each time', async () => {
    const account = newAccount();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => postAuth(server, '/sign-up/email', { ...account, name: 'Twin' })),
    );
    const results = await Promise.all(responses.map(async (response) => [response.status, await response.json()]));
    for (const result of results) assert.deepEqual(result, results[0]);
    assert.equal(results[0]?.[0], 200);
    assert.equal((await trySignIn(server, account)).status, 200);
  });

  test('with invalid fields is refused in the same way whether or not the account exists', async () => {
    const { email } = await signUp(server);
    for (const wrong of [{ name: 'a\nb' }, { name: '' }, { image: 'x' }, { password: 'short' }, { rememberMe: 'x' }]) {
      const send = (address: string) =>
        postAuth(server, '/sign-up/email', { name: 'Ada', password: 'correct horse', ...wrong, email: address });
      const [existing, fresh] = await Promise.all([send(email), send(newAccount().email)]);
      assert.deepEqual([existing.status, await existing.json()], [fresh.status, await fresh.json()]);
      assert.equal(existing.status, 400);
    }
  });

  test('is refused with a short password or an invalid email', async () => {
    const long = `${'x'.repeat(60)}@${`${'y'.repeat(60)}.`.repeat(4)}example`;
    for (const wrong of [{ password: 'short' }, { email: 'no email' }, { email: '' }, { email: long }]) {
      const response = await postAuth(server, '/sign-up/email', { ...newAccount(), name: 'Other', ...wrong });
      assert.equal(response.status, 400);
    }
  });

  test('stores no plain password and hides the session cookie from scripts', async () => {
    const account = await signUp(server);
    assert.ok(!(await readWholeDatabase(server.ctx.db)).includes(account.password));
    const [cookie = ''] = (await trySignIn(server, account)).headers.getSetCookie();
    assert.match(cookie, /^chauffeur\.session_token=/);
    assert.match(cookie, /HttpOnly/i);
    assert.match(cookie, /SameSite=Lax/i);
  });
});

test('uploads are accepted after the owner verifies their email', async () => {
  const game = await makeGame(server, { verified: false });
  const zip = smallZip();
  const fields = uploadFields(await register(server, game), zip);
  const send = () => upload(server, game, formOf(fields, zip));
  assert.equal((await send()).body.error?.code, 4096);
  await postAuth(server, '/send-verification-email', { email: game.owner.email });
  const { link } = await mailTo(server, game.owner.email, /Verify/);
  await openLink(link);
  assert.equal((await send()).status, 201);
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
  const nameOf = async (cookie: string) => (await readSessionUser(server, cookie)).name;

  test('is validated at sign-up and when it changes', async () => {
    const { cookie } = await signUp(server);
    const tries = HOSTILE.map(async (name) => {
      const label = JSON.stringify(name).slice(0, 40);
      const account = newAccount();
      assert.equal((await postAuth(server, '/sign-up/email', { ...account, name })).status, 400, label);
      assert.equal((await trySignIn(server, account)).status, 401, label);
      const refused = await postAuth(server, '/update-user', { name }, { cookie });
      const { error } = (await refused.json()) as { error: { code: number; message: string } };
      assert.deepEqual([refused.status, error.code], [400, 4002], label);
      assert.match(error.message, label.length > 30 ? /^body: larger than/ : /^name: /);
    });
    await Promise.all(tries);
    assert.equal(await nameOf(cookie), 'New Developer');
    assert.equal((await postAuth(server, '/update-user', { name: '  Zoe\u0308 ' }, { cookie })).status, 200);
    assert.equal(await nameOf(cookie), 'Zo\u00eb');
  });

  test('is validated when an operator creates the account', async () => {
    for (const name of HOSTILE) {
      const account = { ...newAccount(), name: name as string, verified: true };
      await assert.rejects(createUser(server.ctx, server.app.auth, account), /name: /);
    }
  });

  test('stored before the rules existed is cleaned by the migration', async () => {
    const { db } = server.ctx;
    const migration = await readFile(new URL('../migrations/0024_accounts.sql', import.meta.url), 'utf8');
    const functionText = /create function clean_display_name[\s\S]*?\$\$[\s\S]*?\$\$;/.exec(migration)?.[0] ?? '';
    const good = 'Zo\u00eb 👩‍🚀 & Söhne';
    const names = [good, ...HOSTILE.filter((name) => typeof name === 'string')];
    const [unchanged, ...clean] = await transact(db, async (tx) => {
      await changed(tx, sql.raw(functionText.replace('clean_display_name', 'pg_temp.clean_display_name')));
      const cleaned = await rows(
        tx,
        sql<{
          name: string;
        }>`select pg_temp.clean_display_name(name) as name from unnest(${names}::text[]) with ordinality as t (name, at)
          order by at`,
      );
      await changed(tx, sql`drop function pg_temp.clean_display_name(text)`);
      return cleaned.map(({ name }) => name);
    });
    assert.equal(unchanged, good);
    for (const name of clean) assert.equal(findDisplayNameProblem(name), null, JSON.stringify(name).slice(0, 40));
    assert.ok(clean.includes('Ada Lovelace'));
    // The database itself refuses such a name, too.
    const { email } = await signUp(server);
    await assert.rejects(
      changed(db, sql`update users set name = ${'a\nb'} where email = ${email}`),
      /users_name_check/,
    );
  });
});

test('mail goes to the configured server, with the user and password from its URL', async () => {
  const office = await openPostOffice();
  const env = { CHAUFFEUR_SMTP: office.url, CHAUFFEUR_MAIL_FROM: 'Studio <studio@example.com>' };
  const mailing = await startServer({ env });
  try {
    const { email } = await signUp(mailing);
    const mail = await office.take(/Verify your email/);
    assert.deepEqual([mail.to, mail.from, mail.user], [email, 'studio@example.com', 'postman']);
    await openLink(mail.link);
    assert.equal(await isVerified(mailing, email), true);
    assert.deepEqual(await mailsTo(mailing, email), []);
  } finally {
    await mailing.stop();
    await office.close();
  }
});
