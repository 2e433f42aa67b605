import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnencrypted, readSettings } from './settings.ts';

const key = { SERVICE_ACCESS_TOKEN: 'token', SERVICE_SECRET_KEY: 'secret' };
async function* stdin(text = '') {
  yield Buffer.from(text);
}

test('the URL defaults to a local service, and the upload host to the API', async () => {
  const settings = await readSettings({}, key, stdin());
  assert.equal(settings.url, 'http://127.0.0.1:4000/api/v1');
  assert.equal(settings.uploadUrl, settings.url);
});

test('flags override the environment, and a trailing slash is ignored', async () => {
  const env = { ...key, SERVICE_API_URL: 'https://a.example/api/v1', SERVICE_UPLOAD_URL: 'https://up.example/api/v1' };
  const settings = await readSettings(
    { url: 'https://b.example/x/api/v1/', access: 'own', secretStdin: true },
    env,
    stdin('hush\n'),
  );
  assert.deepEqual(settings, {
    url: 'https://b.example/x/api/v1',
    uploadUrl: 'https://up.example/api/v1',
    accessToken: 'own',
    secretKey: 'hush',
  });
});

test('invalid URLs and keys are rejected', async () => {
  const cases: [object, object, RegExp][] = [
    [{ url: 'localhost' }, key, /--url .*is not an http or https URL/],
    [{ upload: 'ftp://x/api/v1' }, key, /--upload .*is not an http or https/],
    [{ url: 'https://x.example' }, key, /does not end in \/api\/v1/],
    [{ url: 'https://me:pw@x.example/api/v1' }, key, /contains a user/],
    [{}, { SERVICE_SECRET_KEY: 's' }, /access token .* is missing/],
    [{}, { SERVICE_ACCESS_TOKEN: 't' }, /secret key .* is missing/],
    [{ access: 'a\r\nb' }, key, /access token contains a space/],
  ];
  for (const [options, env, message] of cases)
    await assert.rejects(readSettings(options, env as never, stdin()), message);
});

test('only plain http to another machine counts as unencrypted', () => {
  assert.ok(isUnencrypted('http://games.example/api/v1'));
  for (const url of ['https://games.example/api/v1', 'http://localhost:4000/api/v1', 'http://[::1]/api/v1'])
    assert.ok(!isUnencrypted(url));
});
