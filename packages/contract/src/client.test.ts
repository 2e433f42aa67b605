import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createClient, ForeignAnswerError, isTransient, NetworkError } from './client.ts';
import { ApiError } from './errors.ts';
import { listBuilds } from './operations/builds.ts';
import { openUploadSession } from './operations/uploads.ts';

/** A client of a server that responds with `listener`. */
async function clientOf(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return createClient({ url, headers: { 'x-secret-key': 'hush' } });
}

const failing = (status: number, body: string, headers = {}): RequestListener => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

test('each input field goes to the path, query or body, as the operation defines it', async (t) => {
  const seen: string[] = [];
  const client = await clientOf(t, async (request, response) => {
    const body = (await Array.fromAsync(request)).join('');
    seen.push(`${request.method} ${request.url} ${request.headers['content-type'] ?? ''} ${body}`);
    response.end(JSON.stringify({ success: true, data: {} }));
  });
  await client.call(listBuilds, { version: '1 0', page: 2 });
  const session = {
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    checksum: 'c',
    filename: 'ä.zip',
    total_size: 5,
  } as const;
  await client.call(openUploadSession, session);
  assert.equal(seen[0]?.trim(), 'GET /api/v1/tool/builds?version=1+0&page=2');
  assert.match(
    seen[1] ?? '',
    /^POST \/api\/v1\/tool\/upload\/sessions application\/x-www-form-urlencoded.*filename=%C3%A4\.zip/,
  );
});

test('an error response becomes an ApiError with the data that the client can act on', async (t) => {
  const error = { code: 4290, message: 'Too many.', data: { index: 3 } };
  const headers = { 'retry-after': '17', 'x-request-id': 'r1' };
  const client = await clientOf(t, failing(429, JSON.stringify({ success: false, error }), headers));
  await assert.rejects(client.call(listBuilds, {}), (thrown) => {
    assert.ok(thrown instanceof ApiError);
    assert.deepEqual([thrown.code, thrown.status, thrown.requestId], [4290, 429, 'r1']);
    assert.deepEqual(thrown.data, { retry_after: 17, index: 3 });
    return true;
  });
});

test('the number and message of an unknown error code are kept', async (t) => {
  const body = JSON.stringify({ success: false, error: { code: 9999, message: 'Brand new.' } });
  const client = await clientOf(t, failing(503, body));
  await assert.rejects(client.call(listBuilds, {}), {
    name: 'ApiError',
    code: 5000,
    status: 503,
    message: 'Brand new. (code 9999)',
  });
});

test('an answer of a proxy, a firewall or a page to sign in is reported as what it is', async (t) => {
  const page = (title: string) => `<html><head><title>${title}</title></head></html>`;
  const cases: [number, string, Record<string, string>, RegExp, boolean][] = [
    [
      413,
      page('413 Request Entity Too Large'),
      { server: 'nginx/1.24.0' },
      /\(nginx\/1\.24\.0\) refuses .* too large: it answered 413/,
      false,
    ],
    [403, '', { server: 'Firewall' }, /\(Firewall\) blocks the request: it answered 403\./, false],
    [407, '', {}, /A proxy or firewall requires a user name and password: it answered 407/, false],
    [404, '<html>', {}, /has no such address: it answered 404/, false],
    [429, '', { 'retry-after': '7' }, /there were too many: it answered 429/, true],
    [
      502,
      page('502 Bad Gateway'),
      {},
      /does not reach the server: it answered 502 with the page “502 Bad Gateway”/,
      true,
    ],
    [521, '', { server: 'cloudflare' }, /\(cloudflare\) answered 521 instead of the server/, true],
    [400, '{"success":false,"errors":[]}', {}, /answered 400 instead of the server/, false],
    [200, page('Guest\nWi-Fi\u202e'), { 'content-type': 'text/html' }, /status 200 with the page “Guest Wi-Fi”/, false],
    [200, '', {}, /status 200 with an empty body/, false],
    [200, '{"success":true}', {}, /status 200 with another body/, false],
    [302, '', { location: 'https://login.example/?next=x' }, /redirects to https:\/\/login\.example/, false],
  ];
  for (const [status, body, headers, message, isRepeated] of cases) {
    const client = await clientOf(t, failing(status, body, headers));
    await assert.rejects(client.call(listBuilds, {}), (error) => {
      assert.ok(error instanceof ForeignAnswerError, String(error));
      assert.match(error.message, message);
      assert.ok(error.remedy.endsWith('.'));
      assert.deepEqual([error.status, isTransient(error)], [status, isRepeated], String(status));
      assert.equal(error.retryAfter, headers['retry-after'] === undefined ? undefined : 7);
      return true;
    });
  }
});

test('a page without an end is not read to its end', async (t) => {
  const client = await clientOf(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const send = () => {
      while (response.write('x'.repeat(16_384)));
    };
    response.on('drain', send);
    send();
  });
  await assert.rejects(client.call(listBuilds, {}), /status 200 with another body/);
});

test('a redirect is not followed, because it would send the key to another address', async (t) => {
  const calls: string[] = [];
  const client = await clientOf(t, (request, response) => {
    calls.push(request.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await assert.rejects(client.call(listBuilds, {}), /redirects to \/elsewhere/);
  assert.equal(calls.length, 1);
});

test('a lost connection is a NetworkError; an aborted call rejects with the reason of its signal', async (t) => {
  const stop = new AbortController();
  const client = await clientOf(t, (request) => {
    if (request.headers.hold === undefined) request.socket.destroy();
    else stop.abort(new Error('enough'));
  });
  await assert.rejects(client.call(listBuilds, {}), NetworkError);
  await assert.rejects(client.call(listBuilds, {}, { headers: { hold: '1' }, signal: stop.signal }), /enough/);
});
