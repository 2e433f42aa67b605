// What monitors, load balancers and API clients need from every server: health, metrics, the API description, HTTP
// behaviour.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ROUTES } from '../src/registry.ts';
import { sendRaw } from './setup/raw.ts';
import { makeGame, request, startServer, type TestServer } from './setup/server.ts';
import { ship } from './setup/uploads.ts';

describe('every server', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ env: { CHAUFFEUR_METRICS_TOKEN: 'a token for the monitor' } });
  });
  after(() => server.stop());

  test('reports itself and its parts as healthy', async () => {
    assert.deepEqual(await (await fetch(`${server.url}/health`)).json(), { status: 'ok' });
    const ready = await fetch(`${server.url}/ready`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), {
      status: 'ready',
      checks: { database: 'ok', replica: 'not configured', blobs: 'ok', scanner: 'not configured' },
    });
  });

  test('is not ready while its scanner does not respond', async () => {
    const secondServer = await startServer({
      shareWith: server,
      role: 'api',
      env: { CHAUFFEUR_CLAMD: 'unix:/nonexistent/clamd' },
    });
    try {
      const ready = await fetch(`${secondServer.url}/ready`);
      assert.equal(ready.status, 503);
      assert.equal(((await ready.json()) as { checks: { scanner: string } }).checks.scanner, 'failed');
    } finally {
      await secondServer.stop();
    }
  });

  test('exposes metrics to callers with the token', async () => {
    await ship(server, await makeGame(server));
    await fetch(`${server.api}/tool/builds`);
    assert.equal((await fetch(`${server.url}/metrics`)).status, 401);
    const metrics = await (
      await fetch(`${server.url}/metrics`, { headers: { authorization: 'Bearer a token for the monitor' } })
    ).text();
    assert.match(
      metrics,
      /chauffeur_http_request_duration_seconds_count\{operation="uploads.file",method="POST",status="2xx"\} 1/,
    );
    assert.match(metrics, /chauffeur_refusals_total\{operation="builds.list",code="4020"\} 1/);
    assert.match(metrics, /chauffeur_uploaded_bytes_total\{way="single"\} [1-9]/);
    assert.match(metrics, /process_resident_memory_bytes/);
  });

  test('serves exactly the operations of the contract', () => {
    const routes = ROUTES.filter(({ url }) => url === undefined);
    assert.deepEqual(routes.map(({ operation }) => operation.id).sort(), OPERATIONS.map(({ id }) => id).sort());
  });

  test('describes its operations as valid OpenAPI 3.1', async () => {
    const document = await (await fetch(`${server.api}/openapi.json`)).json();
    const validator = new Validator();
    const { valid, errors } = await validator.validate(document as Record<string, unknown>);
    assert.equal(valid, true, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
    const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.deepEqual(described.sort(), OPERATIONS.map(({ id }) => id).sort());
  });

  test('ignores an unknown Expect header', async () => {
    const response = await sendRaw(server, { method: 'GET', path: '/api/v1/games', headers: [['Expect', 'the-best']] });
    assert.deepEqual([response?.status, response?.body?.error?.code], [401, 4011]);
  });

  test('refuses a too long path parameter with the bad-input code of the operation', async () => {
    const { keyHeaders } = await makeGame(server);
    const path = `/tool/media/${'x'.repeat(300)}`;
    const { status, body } = await request(`${server.api}${path}`, { method: 'DELETE', headers: keyHeaders });
    assert.deepEqual([status, body.error?.code], [400, 4150]);
  });

  test('adds a request id to every response and the envelope to every error', async () => {
    for (const path of ['/health', '/', '/api/v1/nowhere', '/nowhere', '/api/v1/games', '/api/v1/public/games/%00']) {
      const response = await fetch(`${server.url}${path}`);
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path);
    }
    assert.equal((await fetch(`${server.url}/health`, { method: 'HEAD' })).status, 200);
    for (const [status, headers] of [
      [400, [['Content-Length', 'many']]],
      [431, [['X-Long', 'x'.repeat(20_000)]]],
    ] as const) {
      const refused = await sendRaw(server, { method: 'GET', path: '/api/v1/games', headers });
      assert.equal(refused?.status, status);
      assert.equal(refused?.body?.error?.code, 4002);
      assert.match(refused?.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
    const unknown = await request(`${server.api}/nowhere`);
    assert.deepEqual([unknown.status, unknown.body.success, unknown.body.error?.code], [404, false, 4040]);
    const wrongMethod = await request(`${server.api}/tool/upload/build`, { method: 'PATCH' });
    assert.deepEqual([wrongMethod.status, wrongMethod.body.error?.code], [404, 4040]);
  });
});
