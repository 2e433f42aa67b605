import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnencrypted, readSettings } from './settings.ts';

const key = { SERVICE_ACCESS_TOKEN: 'token', SERVICE_SECRET_KEY: 'secret' };
async function* stdin(text = '') {
  yield Buffer.from(text);
}
const none = () => ({ defaultUrl: null, all: [] });
const server = 'https://games.example/api/v1';
const login = { url: server, key: 'chf_cli_1', user: 'Ada', game: null };
const stored = () => ({ defaultUrl: server, all: [login] });
const unread = () => assert.fail('the stored logins were read');

test('the URL defaults to a local service, and the upload host to the API', async () => {
  const settings = await readSettings({}, key, stdin(), none);
  assert.equal(settings.url, 'http://127.0.0.1:4000/api/v1');
  assert.equal(settings.uploadUrl, settings.url);
});

test('flags override the environment, and a trailing slash is ignored', async () => {
  const env = { ...key, SERVICE_API_URL: 'https://a.example/api/v1', SERVICE_UPLOAD_URL: 'https://up.example/api/v1' };
  const settings = await readSettings(
    { url: 'https://b.example/x/api/v1/', access: 'own', secretStdin: true },
    env,
    stdin('hush\n'),
    unread,
  );
  assert.deepEqual(settings, {
    url: 'https://b.example/x/api/v1',
    uploadUrl: 'https://up.example/api/v1',
    credential: { kind: 'deploy_key', accessToken: 'own', secretKey: 'hush' },
  });
});

test('a server is named by its address, with or without the scheme and the path of the API', async () => {
  for (const [address, expected] of [
    ['games.example', 'https://games.example/api/v1'],
    ['games.example/prefix/', 'https://games.example/prefix/api/v1'],
    ['games.example:8443', 'https://games.example:8443/api/v1'],
    ['Games.Example/api/v1', 'https://games.example/api/v1'],
    ['https://games.example', 'https://games.example/api/v1'],
    ['https://games.example/api/', 'https://games.example/api/v1'],
    ['http://192.0.2.1:4680', 'http://192.0.2.1:4680/api/v1'],
    ['192.0.2.1:4680', 'https://192.0.2.1:4680/api/v1'],
    ['localhost:4680', 'http://localhost:4680/api/v1'],
    ['LOCALHOST', 'http://localhost/api/v1'],
    ['owls.localhost:1', 'http://owls.localhost:1/api/v1'],
    ['127.0.0.2:4680/x', 'http://127.0.0.2:4680/x/api/v1'],
    ['[::1]:4680', 'http://[::1]:4680/api/v1'],
    ['localhost.evil.example', 'https://localhost.evil.example/api/v1'],
  ] as const) {
    for (const settings of [
      await readSettings({ url: address }, key, stdin(), none),
      await readSettings({}, { ...key, SERVICE_API_URL: address }, stdin(), none),
    ])
      assert.deepEqual([settings.url, settings.uploadUrl], [expected, expected], address);
    const { uploadUrl } = await readSettings({ upload: address }, key, stdin(), none);
    assert.equal(uploadUrl, expected, address);
  }
});

test('invalid URLs and keys are rejected', async () => {
  const cases: [object, object, RegExp][] = [
    [{ url: 'not a host' }, key, /--url .*is not an http or https URL/],
    [{ url: 'mailto:ada@games.example' }, key, /contains a user/],
    [{ url: '//games.example' }, key, /--url .*is not an http or https URL/],
    [{ url: 'me:pw@games.example' }, key, /contains a user/],
    [{ upload: 'ftp://x/api/v1' }, key, /--upload .*is not an http or https/],
    [{ url: 'https://me:pw@x.example/api/v1' }, key, /contains a user/],
    [{}, { SERVICE_SECRET_KEY: 's' }, /access token .* is missing/],
    [{}, { SERVICE_ACCESS_TOKEN: 't' }, /secret key .* is missing/],
    [{ access: 'a\r\nb' }, key, /access token contains a space/],
    [{}, {}, /not signed in to http:\/\/127\.0\.0\.1:4000/],
    [{ game: 'no slug' }, key, /--game .* is neither the uid nor the slug/],
    [{ access: 'only-half' }, {}, /secret key .* is missing/],
    [{}, { ...key, SERVICE_ACCESS_TOKEN: '$(accessToken)' }, /SERVICE_ACCESS_TOKEN is the name of a variable/],
  ];
  for (const [options, env, message] of cases)
    await assert.rejects(readSettings(options, env as never, stdin(), none), message);
});

test('only plain http to another machine counts as unencrypted', () => {
  assert.ok(isUnencrypted('http://games.example/api/v1'));
  for (const url of ['https://games.example/api/v1', 'http://localhost:4000/api/v1', 'http://[::1]/api/v1'])
    assert.ok(!isUnencrypted(url));
});

test('the newest login is used if neither the flags nor the environment say anything else', async () => {
  const settings = await readSettings({}, {}, stdin(), stored);
  assert.deepEqual(settings, {
    url: server,
    uploadUrl: server,
    credential: { kind: 'login', login, game: undefined },
  });
  const named = await readSettings({}, { SERVICE_API_URL: server, SERVICE_GAME: 'owls' }, stdin(), stored);
  assert.deepEqual(named.credential, { kind: 'login', login, game: 'owls' });
  const flagged = await readSettings({ game: 'foxes' }, { SERVICE_GAME: 'owls' }, stdin(), stored);
  assert.deepEqual(flagged.credential, { kind: 'login', login, game: 'foxes' });
});

test('a deploy key in the environment takes precedence over a login, which is not read', async () => {
  const env = { ...key, SERVICE_API_URL: server, SERVICE_GAME: 'owls' };
  const settings = await readSettings({}, env, stdin(), unread);
  assert.deepEqual(settings.credential, { kind: 'deploy_key', accessToken: 'token', secretKey: 'secret' });
});

test('the key of a login is for its own server only', async () => {
  for (const url of ['https://evil.example/api/v1', 'http://games.example/api/v1', 'https://games.example/x/api/v1'])
    await assert.rejects(readSettings({ url }, {}, stdin(), stored), /You are not signed in to/);
});

test('a game is named by its uid or slug', async () => {
  for (const game of ['a b', 'x\r\nCookie: a', '../x', ''])
    await assert.rejects(readSettings({ game }, {}, stdin(), stored), /neither the uid nor the slug/, game);
});

test('a variable that is set but empty is reported, and no login or default is used instead', async () => {
  const cases: [object, RegExp][] = [
    [{ SERVICE_ACCESS_TOKEN: '', SERVICE_SECRET_KEY: '' }, /access token .* is missing: SERVICE_ACCESS_TOKEN is empty/],
    [
      { SERVICE_ACCESS_TOKEN: 'token', SERVICE_SECRET_KEY: ' ' },
      /secret key .* is missing: SERVICE_SECRET_KEY is empty/,
    ],
    [{ ...key, SERVICE_API_URL: '' }, /SERVICE_API_URL is empty/],
  ];
  for (const [env, message] of cases) await assert.rejects(readSettings({}, env as never, stdin(), stored), message);
  const optional = { ...key, SERVICE_API_URL: server, SERVICE_UPLOAD_URL: ' ', SERVICE_GAME: '' };
  assert.equal((await readSettings({}, optional, stdin(), unread)).uploadUrl, server);
});

test('line breaks and byte order marks around settings are ignored', async () => {
  const env = {
    SERVICE_API_URL: `${server}\r\n`,
    SERVICE_ACCESS_TOKEN: 'token\n',
    SERVICE_SECRET_KEY: '\uFEFFsecret\r\n',
  };
  const settings = await readSettings({}, env, stdin(), unread);
  assert.equal(settings.url, server);
  assert.deepEqual(settings.credential, { kind: 'deploy_key', accessToken: 'token', secretKey: 'secret' });
});
