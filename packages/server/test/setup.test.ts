// The first run on the real server: who becomes the first operator, and the tests of mail, scanner, storage and
// address.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ADDRESS_TEST_BYTES } from '@chauffeur/contract/operations/setup';
import { sql } from 'kysely';
import { openBlobStore, parseBlobSettings } from '../src/kernel/blobs/open.ts';
import { rows } from '../src/kernel/database/db.ts';
import type { Check } from '../src/operate/setup/checks.ts';
import { testEmail } from '../src/operate/setup/email-test.ts';
import { testScanner } from '../src/operate/setup/scanner-test.ts';
import { endSetup, issueSetupLink } from '../src/operate/setup/setup.ts';
import { testStorage } from '../src/operate/setup/storage-test.ts';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { NO_CLAMD, startClamd } from './setup/clamd.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { issueCode, reopenSetup } from './setup/first-run.ts';
import { openPostOffice, type PostOffice } from './setup/post-office.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { makePlayer, request, signIn, startServer, stoppedClock, type TestServer } from './setup/server.ts';

const PASSWORD = 'correct horse battery';

let server: TestServer;
let office: PostOffice;
before(async () => {
  office = await openPostOffice();
  server = await startServer({ role: 'api', env: { CHAUFFEUR_SMTP: office.url } });
});
after(async () => {
  await server.stop();
  await office.close();
});

const call = (method: string, path: string, body?: object, headers: object = {}) =>
  callApi(server, headers, method, path, body);
const create = (code: string, email: string, more: object = {}) =>
  call('POST', '/setup', { code, name: 'Olga', email, password: PASSWORD, ...more });

describe('the first operator', () => {
  beforeEach(() => reopenSetup(server));

  test('is created with a code that works once, is verified, and can sign in', async () => {
    const code = await issueCode(server);
    assert.ok(!(await readWholeDatabase(server.ctx.db)).includes(code));
    assert.equal((await call('GET', '/setup')).body.data.open, true);
    const created = await create(code.toUpperCase(), 'Olga@example.com');
    assert.deepEqual([created.status, created.body.data], [201, { email: 'olga@example.com' }]);
    const headers = await signIn(server, { email: 'olga@example.com', password: PASSWORD });
    assert.equal((await call('GET', '/operator/users', undefined, headers)).body.data.users[0].verified, true);
    assert.deepEqual(statusOf(await create(code, 'eve@example.com')), [403, 4237]);
    assert.equal((await call('GET', '/setup')).body.data.open, false);
    assert.equal(await issueSetupLink(server.ctx), null);
    assert.deepEqual(await rows(server.ctx.db, sql`select from setup_codes`), []);
  });

  test('is the only one, even if several requests use codes at the same time', async () => {
    const codes = [await issueCode(server), await issueCode(server)];
    const attempts = [0, 1, 2, 3, 4, 5].map((no) => create(codes[no % 2]!, `race-${no}@example.com`));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 403, 403, 403, 403, 403]);
  });

  test('can use a code of any process, and one from before a few restarts', async () => {
    const first = await issueCode(server);
    for (let restart = 0; restart < 19; restart += 1) await issueCode(server);
    assert.equal((await create(first, 'restart@example.com')).status, 201);
    await reopenSetup(server);
    const old = await issueCode(server);
    for (let restart = 0; restart < 20; restart += 1) await issueCode(server);
    assert.deepEqual(statusOf(await create(old, 'old@example.com')), [403, 4237]);
  });

  test('is not prevented by strangers who sign up first, nor by an account with the same email', async () => {
    const code = await issueCode(server);
    const stranger = await makePlayer(server);
    assert.equal((await call('GET', '/setup')).body.data.open, true);
    const taken = await create(code, stranger.email);
    assert.deepEqual(statusOf(taken), [400, 4002]);
    assert.match(taken.body.error?.message ?? '', /^email: .*Sign in with it/);
    assert.equal((await create(code, 'second@example.com')).status, 201);
  });

  test('can be an account that already exists, with the code', async () => {
    const code = await issueCode(server);
    const person = await makePlayer(server);
    const claim = (entered: string, headers: object) => call('POST', '/setup/operator', { code: entered }, headers);
    assert.deepEqual(statusOf(await claim(code, {})), [401, 4011]);
    const foreign = await claim(code, { ...person.headers, origin: 'https://elsewhere.example' });
    assert.deepEqual(statusOf(foreign), [403, 4032]);
    assert.deepEqual(statusOf(await claim('wrong', person.headers)), [403, 4237]);
    assert.equal((await claim(code, person.headers)).status, 200);
    assert.equal((await call('GET', '/operator/setup', undefined, person.headers)).status, 200);
  });

  test('keeps the code after invalid input', async () => {
    const code = await issueCode(server);
    assert.deepEqual(statusOf(await create(code, 'no-address')), [400, 4002]);
    assert.deepEqual(statusOf(await create(code, 'a@example.com', { password: 'short' })), [400, 4002]);
    assert.deepEqual(statusOf(await create(code, 'a@example.com', { name: '\u200b' })), [400, 4002]);
    assert.deepEqual(statusOf(await create('', 'a@example.com')), [400, 4002]);
    assert.equal((await create(code, 'a@example.com')).status, 201);
  });

  test('is not needed once a command has appointed one, even if that one is revoked', async () => {
    const code = await issueCode(server);
    const { email } = await makePlayer(server);
    await setUserOperator(server.ctx, email, true);
    assert.deepEqual(statusOf(await create(code, 'late@example.com')), [403, 4237]);
    await endSetup(server.ctx.db);
    await setUserOperator(server.ctx, email, false);
    assert.deepEqual(statusOf(await create(code, 'late@example.com')), [403, 4237]);
    assert.equal(await issueSetupLink(server.ctx), null);
  });

  test('has a limited number of attempts for each address', async () => {
    const limited = await startServer({
      role: 'api',
      shareWith: server,
      clock: stoppedClock(),
      env: { CHAUFFEUR_LIMIT_SIGN_INS: '2' },
    });
    try {
      const code = await issueCode(server);
      const attempts = ['wrong', 'wrong', code].map(
        (entered) => () =>
          callApi(limited, {}, 'POST', '/setup', {
            code: entered,
            name: 'O',
            email: 'o@example.com',
            password: PASSWORD,
          }),
      );
      const codes: unknown[] = [];
      for (const attempt of attempts) codes.push((await attempt()).body.error?.code);
      assert.deepEqual(codes, [4237, 4237, 4290]);
    } finally {
      await limited.stop();
    }
  });

  test('learns whether the address of the page fits the public URL, and how many proxies there are', async () => {
    const read = async (origin: string, headers = {}) =>
      (await request(`${server.api}/setup?${new URLSearchParams({ origin })}`, { headers })).body.data;
    assert.equal((await read(server.url)).is_own_origin, true);
    assert.equal((await read(server.url.replace('127.0.0.1', 'localhost'))).is_own_origin, true);
    const other = await read('https://games.example.com', { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' });
    assert.deepEqual([other.is_own_origin, other.proxies, other.public_url], [false, 2, server.url]);
  });
});

describe('the tests of an installation', () => {
  let headers: { cookie: string };
  let email: string;
  before(async () => {
    const person = await makePlayer(server);
    await setUserOperator(server.ctx, person.email, true);
    ({ headers, email } = person);
  });

  const levelsOf = (checks: readonly Check[]) => checks.map(({ level }) => level);
  const problemsOf = (checks: readonly Check[]) => checks.filter(({ level }) => level !== 'good');

  test('are for operators only', async () => {
    const { headers: player } = await makePlayer(server);
    for (const [method, path] of [
      ['GET', '/operator/setup'],
      ['POST', '/operator/setup/mail/test'],
      ['POST', '/operator/setup/address/test?nonce=1'],
    ] as const) {
      assert.deepEqual(statusOf(await call(method, path)), [401, 4011]);
      assert.deepEqual(statusOf(await call(method, path, undefined, player)), [403, 4033]);
    }
  });

  test('list the parts with what to set, and without secrets', async () => {
    const { body } = await call('GET', '/operator/setup', undefined, { ...headers, 'x-forwarded-for': '203.0.113.9' });
    const { parts } = body.data;
    assert.deepEqual(
      parts.map(({ part, level }: Record<string, string>) => `${part} ${level}`),
      ['address bad', 'mail unsure', 'scanner unsure', 'storage good', 'database good', 'backups info'],
    );
    assert.deepEqual(parts[0].advice, [
      { variable: 'CHAUFFEUR_PUBLIC_URL', value: 'https://games.example.com' },
      { variable: 'CHAUFFEUR_TRUST_PROXY', value: '1' },
    ]);
    assert.match(parts[1].settings[0].value, /^smtp:\/\/‹…›@/);
    assert.ok(!JSON.stringify(body).includes('post%20office'));
  });

  test('send an email to the operator, and report the reply of the SMTP server', async () => {
    const { body } = await call('POST', '/operator/setup/mail/test', undefined, headers);
    assert.deepEqual(levelsOf(body.data.checks), ['good']);
    assert.match(body.data.checks[0].says, new RegExp(`accepted an email to ${email}\\. It replied: 250 `));
    assert.equal((await office.take(/Test email/)).to, email);
  });

  test('explain why mail cannot be sent, without the password', async () => {
    const { ctx } = server;
    const tryEmail = async (smtp: string) => (await testEmail({ ...ctx, config: { ...ctx.config, smtp } }, email))[0]!;
    const refused = await tryEmail(office.url.replace('post%20office', 'wrong%20secret'));
    assert.equal(refused.level, 'bad');
    assert.match(refused.says, /refused the user name or the password.* It replied: 535 /);
    assert.ok(!JSON.stringify(refused).includes('wrong'));
    assert.match((await tryEmail('smtp://127.0.0.1:1')).says, /Nothing accepts connections/);
    assert.match((await tryEmail(office.url.replace('smtp:', 'smtps:'))).says, /does not use TLS from the start/);
  });

  test('write, read, list and delete a file, and leave nothing behind', async () => {
    const { body } = await call('POST', '/operator/setup/storage/test', undefined, headers);
    const { checks } = body.data;
    assert.deepEqual(levelsOf(checks.slice(0, 4)), ['good', 'good', 'good', 'good'], JSON.stringify(checks));
    assert.match(checks[4].says, /are free/);
    for await (const { key } of server.ctx.blobs.list('')) assert.fail(key);
  });

  test('also try signed URLs and multipart uploads on S3', async (t) => {
    const s3 = await startS3();
    if (s3 === null) return t.skip(S3_MISSING);
    Object.assign(process.env, s3.env);
    const blobs = openBlobStore(parseBlobSettings(s3.url, ''));
    try {
      const checks = await testStorage({ ...server.ctx, blobs });
      assert.deepEqual(problemsOf(checks), []);
      assert.equal(checks.length, 6);
      for await (const { key } of blobs.list('')) assert.fail(key);
      const missing = openBlobStore(parseBlobSettings(s3.url.replace('chauffeur?', 'other?'), ''));
      const [failed, ...rest] = await testStorage({ ...server.ctx, blobs: missing });
      assert.deepEqual([failed?.level, rest], ['bad', []]);
      await missing.close();
    } finally {
      await blobs.close();
      await s3.stop();
    }
  });

  test('report a storage that cannot be written', async () => {
    // A path below a file, which even root can't create.
    const blobs = openBlobStore({ kind: 'files', folder: '/dev/null/blobs' });
    const checks = await testStorage({ ...server.ctx, blobs });
    assert.equal(checks[0]?.level, 'bad');
    assert.match(checks[0]?.remedy ?? '', /can write to \/dev\/null\/blobs/);
  });

  test('let clamd find a test virus, and detect what it would pass unscanned', async (t) => {
    const clamd = await startClamd();
    if (clamd === null) return t.skip(NO_CLAMD);
    const { ctx } = server;
    const scan = (clamdStreamLimit: number) =>
      testScanner({ ...ctx, config: { ...ctx.config, clamd: clamd.address, clamdStreamLimit } });
    try {
      const checks = await scan(ctx.config.clamdStreamLimit);
      assert.deepEqual(
        problemsOf(checks).map(({ says }) => says),
        [
          // The signatures of the tests have no version.
          checks[0]?.says,
        ],
      );
      assert.equal(checks.length, 6);
      const [tooLarge] = problemsOf((await scan(26 * 1024 * 1024)).slice(1));
      assert.match(tooLarge?.says ?? '', /did not scan a file as large as the stream limit, 26\.0 MiB/);
      await clamd.kill();
      const [gone] = await scan(ctx.config.clamdStreamLimit);
      assert.match(gone?.says ?? '', /^clamd does not respond/);
    } finally {
      await clamd.stop();
    }
  });

  test('send a body as large as a chunk through the proxies, and compare what arrives', async () => {
    const send = (bytes: number, more: object = {}) =>
      request(`${server.api}/operator/setup/address/test?nonce=n-1`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: Buffer.alloc(bytes),
      });
    const { data } = (await send(ADDRESS_TEST_BYTES)).body;
    assert.deepEqual([data.nonce, data.received_bytes], ['n-1', ADDRESS_TEST_BYTES]);
    assert.deepEqual(levelsOf(data.checks), ['unsure', 'good', 'good']);
    const proxied = await send(1, { 'x-forwarded-for': '203.0.113.9' });
    assert.deepEqual(levelsOf(proxied.body.data.checks), ['unsure', 'bad', 'bad']);
    assert.deepEqual(statusOf(await send(ADDRESS_TEST_BYTES + 1)), [413, 4043]);
    assert.deepEqual(statusOf(await send(1, { 'content-encoding': 'gzip' })), [400, 4002]);
  });
});
