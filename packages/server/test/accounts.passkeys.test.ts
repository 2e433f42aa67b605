// Passkeys under attack: every answer of a device that was not made for this account, challenge and website is refused.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { cookieOf, isSignedIn, postAuth, type SignedUp, signUpVerified } from './setup/accounts.ts';
import { makeAuthenticator, type Wrong } from './setup/authenticator.ts';
import { makeCertificate } from './setup/certificate.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SIGN_INS: '0' } });
});
after(() => server.stop());

/** The address of the website in browsers; passkeys don't work on IP addresses. */
const origin = () => `http://localhost:${new URL(server.url).port}`;

type Ceremony = 'register' | 'authenticate';

/** Begins a ceremony. Returns its challenge, and the cookies that must be sent back. */
async function begin(ceremony: Ceremony, cookie = ''): Promise<{ challenge: string; cookie: string }> {
  const response = await fetch(`${server.url}/api/auth/passkey/generate-${ceremony}-options`, { headers: { cookie } });
  const { challenge } = (await response.json()) as { challenge: string };
  return { challenge, cookie: `${cookie}; ${cookieOf(response)}` };
}

const finish = (ceremony: 'registration' | 'authentication', response: unknown, cookie: string, more = {}) =>
  postAuth(server, `/passkey/verify-${ceremony}`, { response, ...more }, { cookie });

/** Adds a passkey to a new account. */
async function makeOwner() {
  const account = await signUpVerified(server);
  const device = makeAuthenticator(origin());
  const added = await addPasskey(account, device);
  assert.equal(added.status, 200, await added.clone().text());
  return { account, device };
}

async function addPasskey(account: SignedUp, device = makeAuthenticator(origin()), wrong: Wrong = {}) {
  const { challenge, cookie } = await begin('register', account.cookie);
  return finish('registration', device.register(challenge, wrong), cookie, { name: 'Laptop' });
}

async function countPasskeys({ email }: SignedUp): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from user_passkeys
    join users on users.id = user_id where email = ${email}`;
  return (await onlyRow(server.ctx.db, query)).count;
}

describe('a sign-in with a passkey', () => {
  test('works, once for each challenge', async () => {
    const { account, device } = await makeOwner();
    const { challenge, cookie } = await begin('authenticate');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => finish('authentication', device.signIn(challenge), cookie)),
    );
    const [signedIn, ...others] = answers.filter(({ ok }) => ok);
    assert.deepEqual(others, []);
    assert.equal(await isSignedIn(server, cookieOf(signedIn!)), true);
    assert.equal((await finish('authentication', device.signIn(challenge), cookie)).status, 400);
    assert.equal(await countPasskeys(account), 1);
  });

  const WRONG: Readonly<Record<string, Wrong>> = {
    'another website': { origin: 'https://evil.example' },
    'another port of this machine': { origin: 'http://localhost:1' },
    'the name of another website': { rpId: 'evil.example' },
    'the answer to a registration': { type: 'webauthn.create' },
    'a device that did not check who holds it': { userVerified: false },
  };
  for (const [name, wrong] of Object.entries(WRONG)) {
    test(`is refused for ${name}`, async () => {
      const { device } = await makeOwner();
      const { challenge, cookie } = await begin('authenticate');
      const response = await finish('authentication', device.signIn(challenge, wrong), cookie);
      assert.equal(response.status, 400);
      assert.equal(await isSignedIn(server, cookieOf(response)), false);
    });
  }

  test('is refused for a counter that did not advance, as that of a copied device', async () => {
    const { device } = await makeOwner();
    for (const [counter, status] of [
      [5, 200],
      [5, 400],
      [4, 400],
      [6, 200],
    ] as const) {
      const { challenge, cookie } = await begin('authenticate');
      assert.equal((await finish('authentication', device.signIn(challenge, { counter }), cookie)).status, status);
    }
  });

  test('is refused with the challenge of another browser, of a registration, or without one', async () => {
    const { account, device } = await makeOwner();
    const [mine, others] = [await begin('authenticate'), await begin('authenticate')];
    assert.equal((await finish('authentication', device.signIn(others.challenge), mine.cookie)).status, 400);
    assert.equal((await finish('authentication', device.signIn(mine.challenge), '')).status, 400);
    const registration = await begin('register', account.cookie);
    assert.equal(
      (await finish('authentication', device.signIn(registration.challenge), registration.cookie)).status,
      400,
    );
  });

  test('is refused for the key of another device with the id of this one', async () => {
    const { device } = await makeOwner();
    const { challenge, cookie } = await begin('authenticate');
    const id = Buffer.from(device.signIn(challenge).id, 'base64url');
    assert.equal(
      (await finish('authentication', makeAuthenticator(origin(), id).signIn(challenge), cookie)).status,
      401,
    );
  });
});

describe('adding a passkey', () => {
  test('is refused in the session of another account, and for the id of a passkey that another account has', async () => {
    const { device } = await makeOwner();
    const [mine, other] = [await signUpVerified(server), await signUpVerified(server)];
    const { challenge, cookie } = await begin('register', mine.cookie);
    const stolen = cookie.replace(mine.cookie, other.cookie);
    assert.equal((await finish('registration', makeAuthenticator(origin()).register(challenge), stolen)).status, 401);
    const id = Buffer.from(device.signIn('').id, 'base64url');
    assert.equal((await addPasskey(other, makeAuthenticator(origin(), id))).status, 400);
    assert.deepEqual([await countPasskeys(mine), await countPasskeys(other)], [0, 0]);
  });

  test('fetches nothing that a certificate of the device names, and accepts only a bare or self-signed statement', async (t) => {
    const account = await signUpVerified(server);
    const requests: string[] = [];
    const inside = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => inside.close());
    await once(inside, 'listening');
    const url = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/revoked`;
    const { raw } = new X509Certificate(makeCertificate('device.example', 1, url).cert);
    const statement = new Map<string, Buffer[] | Buffer | number>([
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
      ['x5c', [raw, raw]],
    ]);
    const self = new Map<string, Buffer | number>([
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
    ]);
    // This one is read, and its signature is wrong.
    const response = await addPasskey(account, undefined, { attestation: ['packed', self] });
    assert.deepEqual([response.status, /attestation/.test(await response.text())], [400, false]);
    for (const format of ['apple', 'android-key', 'android-safetynet', 'tpm', 'fido-u2f', 'packed', 'nonsense']) {
      const response = await addPasskey(account, undefined, { attestation: [format, statement] });
      assert.deepEqual(requests, [], format);
      assert.equal(response.status, 400, format);
      assert.match(await response.text(), /attestation/, format);
    }
    assert.equal(await countPasskeys(account), 0);
  });

  test('is refused for more passkeys than a person has devices', async () => {
    const { account } = await makeOwner();
    await rows(
      server.ctx.db,
      sql`insert into user_passkeys (id, name, user_id, credential_id, public_key, counter, device_type, backed_up)
        select gen_random_uuid()::text, user_passkeys.name, user_id, 'copy' || no, public_key, 0, device_type, backed_up
        from user_passkeys join users on users.id = user_id cross join generate_series(1, 98) no where email = ${account.email}`,
    );
    assert.equal((await addPasskey(account)).status, 200);
    const refused = await addPasskey(account);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /100 passkeys/);
  });

  test('is refused for transports that no device has', async () => {
    const account = await signUpVerified(server);
    const sent: unknown[] = ['usb', [7], [{}], ['x'.repeat(50_000)], Array.from({ length: 999 }, () => 'usb'), ['<b>']];
    for (const transports of sent) {
      const { challenge, cookie } = await begin('register', account.cookie);
      const answer = makeAuthenticator(origin()).register(challenge);
      const response = await finish(
        'registration',
        { ...answer, response: { ...answer.response, transports } },
        cookie,
      );
      assert.equal(response.status, 400, JSON.stringify(transports).slice(0, 50));
    }
    assert.equal(await countPasskeys(account), 0);
  });

  test('survives every part of an answer with a wrong type or length', async () => {
    const account = await signUpVerified(server);
    const values = [null, 7, true, '', 'x', 'A'.repeat(40_000), [], {}, [[[]]], '\u0000'];
    for (const part of ['id', 'rawId', 'type', 'response'] as const) {
      for (const value of values) {
        const { challenge, cookie } = await begin('register', account.cookie);
        const answer = { ...makeAuthenticator(origin()).register(challenge), [part]: value };
        assert.equal((await finish('registration', answer, cookie)).status, 400, `${part} ${JSON.stringify(value)}`);
      }
    }
    for (const part of ['clientDataJSON', 'attestationObject'] as const) {
      for (const value of values) {
        const { challenge, cookie } = await begin('register', account.cookie);
        const answer = makeAuthenticator(origin()).register(challenge);
        const broken = { ...answer, response: { ...answer.response, [part]: value } };
        assert.equal((await finish('registration', broken, cookie)).status, 400, `${part} ${JSON.stringify(value)}`);
      }
    }
    assert.equal(await countPasskeys(account), 0);
  });
});
