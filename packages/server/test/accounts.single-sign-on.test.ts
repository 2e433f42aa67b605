// Single sign-on against a real OpenID provider, and against one that answers wrongly.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  cookieOf,
  isSignedIn,
  newAccount,
  readSessionUser,
  signUp,
  signUpVerified,
  trySignIn,
} from './setup/accounts.ts';
import { createAccount } from './setup/create-account.ts';
import { mailTo } from './setup/mail.ts';
import {
  type Script,
  type SignOn,
  signInWith,
  startProvider,
  startScriptedProvider,
  startSignIn,
} from './setup/openid.ts';
import { request } from './setup/server.ts';

const newPerson = () => {
  const id = newId();
  return { sub: `sub-${id}`, email: `person-${id}@example.com`, email_verified: true, name: 'Grace' };
};

describe('single sign-on with a real provider', () => {
  let signOn: Awaited<ReturnType<typeof startProvider>>;
  before(async () => {
    signOn = await startProvider();
  });
  after(() => signOn.stop());

  test('creates an account at the first sign-in, and finds it at the next', async () => {
    const { server } = signOn;
    const person = newPerson();
    signOn.signedIn(person);
    const first = await signInWith(signOn);
    assert.equal(first.page.pathname, '/dev');
    const { body } = await request(`${server.api}/account/security`, { headers: { cookie: first.cookie } });
    assert.deepEqual(body.data, {
      password: false,
      authenticator_app: false,
      passkeys: 0,
      single_sign_on: true,
      signed_in_with: 'sso',
    });
    const user = await readSessionUser(server, first.cookie);
    assert.deepEqual([user.email, user.name], [person.email, 'Grace']);
    // The subject identifies the person, even if the address changes.
    signOn.signedIn({ ...person, email: `other-${person.email}` });
    const second = await signInWith(signOn);
    assert.equal((await readSessionUser(server, second.cookie)).email, person.email);
    const tokens = await rows(
      server.ctx.db,
      sql`select access_token, refresh_token, id_token from user_credentials where provider_id = 'sso'`,
    );
    assert.ok(tokens.every((row) => Object.values(row as object).every((value) => value === null)));
  });

  test('connects an account only if its address is verified on both sides', async () => {
    const { server } = signOn;
    const verified = await signUpVerified(server);
    signOn.signedIn({ ...newPerson(), email: verified.email, email_verified: false });
    const unverifiedThere = await signInWith(signOn);
    assert.match(unverifiedThere.page.search, /error=(SSO_EMAIL_NOT_VERIFIED|account_not_linked)/);
    assert.equal(await isSignedIn(server, unverifiedThere.cookie), false);

    const unverified = await signUp(server);
    signOn.signedIn({ ...newPerson(), email: unverified.email });
    const unverifiedHere = await signInWith(signOn);
    assert.match(unverifiedHere.page.search, /error=account_not_linked/);
    assert.equal(await isSignedIn(server, unverifiedHere.cookie), false);

    signOn.signedIn({ ...newPerson(), email: verified.email.toUpperCase() });
    const both = await signInWith(signOn);
    assert.equal((await readSessionUser(server, both.cookie)).email, verified.email);
    await mailTo(server, verified.email, /was connected to single sign-on/);
    assert.ok(await isSignedIn(server, cookieOf(await trySignIn(server, verified))));
  });

  test('creates no account for an address that is not verified', async () => {
    const person = { ...newPerson(), email_verified: false };
    signOn.signedIn(person);
    const { page, cookie } = await signInWith(signOn);
    assert.match(page.search, /error=SSO_EMAIL_NOT_VERIFIED/);
    assert.equal(await isSignedIn(signOn.server, cookie), false);
    const { ctx } = signOn.server;
    assert.deepEqual(await rows(ctx.db, sql`select id from users where email = ${person.email}`), []);
  });

  test('accepts a callback once, and only in the browser that started it', async () => {
    const { server } = signOn;
    signOn.signedIn(newPerson());
    const { callback, cookie } = await signInWith(signOn);
    for (const cookies of [cookie, '']) {
      const replayed = await fetch(callback, { redirect: 'manual', headers: { cookie: cookies } });
      assert.match(replayed.headers.get('location') ?? '', /^(http:\/\/[\d.:]+)?\/sign-in\?.*error=/);
      assert.equal(cookieOf(replayed).includes('session_token'), false);
    }
    const [one, other] = [await startSignIn(server), await startSignIn(server)];
    const state = new URL(one.url ?? '').searchParams.get('state');
    const stolen = `${server.url}/api/auth/callback/sso?code=x&state=${state}`;
    const pairs = other.cookies.map((each) => each.split(';')[0]).join('; ');
    const response = await fetch(stolen, { redirect: 'manual', headers: { cookie: pairs } });
    assert.match(response.headers.get('location') ?? '', /error=state_mismatch/);
  });

  test('is refused for parameters that would change the request to the provider', async () => {
    const { server } = signOn;
    const send = (body: object) =>
      fetch(`${server.url}/api/auth/sign-in/social`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({ provider: 'sso', ...body }),
      });
    for (const body of [
      { idToken: { token: 'x' } },
      { scopes: ['offline_access'] },
      { additionalParams: { prompt: 'none' } },
      { requestSignUp: true },
      { loginHint: 'x' },
      { newUserCallbackURL: '/' },
    ])
      assert.equal((await send(body)).status, 400, JSON.stringify(body));
    for (const callbackURL of ['https://evil.example/', '//evil.example', 'javascript:alert(1)'])
      assert.equal((await send({ callbackURL })).status, 403, callbackURL);
    for (const provider of ['google', '', 'constructor', '__proto__'])
      assert.ok([400, 404].includes((await send({ provider })).status), provider);
  });

  test('does not sign in to a disabled account', async () => {
    const { server } = signOn;
    const person = newPerson();
    signOn.signedIn(person);
    await signInWith(signOn);
    await server.ctx.db.executeQuery(
      sql`update users set disabled_at = now() where email = ${person.email}`.compile(server.ctx.db),
    );
    const { page, cookie } = await signInWith(signOn);
    assert.match(page.search, /error=ACCOUNT_DISABLED/);
    assert.equal(await isSignedIn(server, cookie), false);
  });

  test('is named on the sign-in page', async () => {
    const { body } = await request(`${signOn.server.api}/sign-in-options`);
    assert.deepEqual(body.data, { single_sign_on: 'Studio login' });
  });
});

describe('single sign-on limited to domains and existing accounts', () => {
  let signOn: Awaited<ReturnType<typeof startProvider>>;
  before(async () => {
    signOn = await startProvider({ CHAUFFEUR_OIDC_DOMAINS: 'Studio.example', CHAUFFEUR_OIDC_CREATE_ACCOUNTS: '0' });
  });
  after(() => signOn.stop());

  test('refuses other domains, and people without an account', async () => {
    const { server } = signOn;
    const account = await signUpVerified(server);
    signOn.signedIn({ ...newPerson(), email: account.email });
    assert.match((await signInWith(signOn)).page.search, /error=SSO_DOMAIN/);
    const email = `${newId()}@studio.example`;
    signOn.signedIn({ ...newPerson(), email });
    assert.match((await signInWith(signOn)).page.search, /error=signup_disabled/);
    for (const address of ['a@evil-studio.example', 'a@studio.example.evil.example', 'a@studio.example@evil.example']) {
      signOn.signedIn({ ...newPerson(), email: address });
      assert.match((await signInWith(signOn)).page.search, /error=(SSO_DOMAIN|signup_disabled)/, address);
    }
    signOn.signedIn({ ...newPerson(), email });
    const user = { email, password: 'correct horse battery', name: 'Member', verified: true };
    await createAccount(server, user);
    assert.equal((await signInWith(signOn)).page.pathname, '/dev');
  });
});

describe('single sign-on with a provider that answers wrongly', () => {
  let signOn: Awaited<ReturnType<typeof startScriptedProvider>>;
  before(async () => {
    signOn = await startScriptedProvider();
  });
  after(() => signOn.stop());

  test('works if the answers are right', async () => {
    signOn.play({});
    const { cookie } = await signInWith(signOn);
    assert.equal((await readSessionUser(signOn.server, cookie)).email, 'scripted@example.com');
  });

  const now = Math.floor(Date.now() / 1000);
  const mistakes: readonly [string, Script][] = [
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['several audiences without a party', { claims: { aud: ['chauffeur', 'other'] } }],
    ['another party', { claims: { azp: 'other' } }],
    ['another nonce', { claims: { nonce: 'x' } }],
    ['no nonce', { without: ['nonce'] }],
    ['an expired token', { claims: { iat: now - 900, exp: now - 600 } }],
    ['no expiry', { without: ['exp'] }],
    ['no subject', { without: ['sub'] }],
    ['an empty subject', { claims: { sub: ' ' } }],
    ['a subject of another type', { claims: { sub: { $ne: null } } }],
    ['a signature by another key', { foreignKey: true }],
    ['a signature with the client secret', { sharedSecret: true }],
    ['no signature', { idToken: `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.` }],
    ['no token', { idToken: '' }],
    ['userinfo of another person', { without: ['email'], userinfo: { sub: 'other', email: 'a@example.com' } }],
    ['no address', { without: ['email'], userinfo: { sub: 'scripted' } }],
    ['an address that is a list', { claims: { email: ['a@example.com'] } }],
    ['another issuer in the redirect', { redirect: (url) => url.searchParams.set('iss', 'https://evil.example') }],
    ['a code that it did not issue', { redirect: (url) => url.searchParams.set('code', 'guessed') }],
    ['a refusal', { redirect: (url) => url.searchParams.set('error', 'access_denied') }],
    ['text that is not stored', { redirect: (url) => url.searchParams.set('code', 'x'.repeat(5000)) }],
  ];
  for (const [name, script] of mistakes)
    test(`refuses ${name}`, async () => {
      signOn.play(script);
      const { page, cookie } = await signInWith(signOn);
      assert.equal(page.pathname, '/sign-in', page.href);
      assert.ok(page.searchParams.get('error'), page.href);
      assert.equal(await isSignedIn(signOn.server, cookie), false);
    });
});

describe('single sign-on with a provider that is down', () => {
  async function check(signOn: SignOn): Promise<void> {
    const { server } = signOn;
    const started = await startSignIn(server);
    assert.deepEqual([started.status, JSON.parse(started.text).error.code], [503, 5030]);
    const account = await signUp(server);
    assert.ok(await isSignedIn(server, account.cookie));
    assert.equal((await trySignIn(server, newAccount())).status, 401);
  }

  test('stops neither the server nor other sign-ins, and works once it is back', async () => {
    const signOn = await startScriptedProvider();
    try {
      for (const metadata of [{ issuer: 'https://evil.example' }, { token_endpoint: 'ftp://x' }, { jwks_uri: 7 }]) {
        signOn.play({ metadata });
        await check(signOn);
      }
      signOn.play({ silent: ['/.well-known/openid-configuration'] });
      await check(signOn);
      signOn.play({});
      assert.equal((await signInWith(signOn)).page.pathname, '/dev');
    } finally {
      await signOn.stop();
    }
  });
});
