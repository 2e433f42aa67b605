// The OpenAPI document describes every response: each operation is called with valid and invalid requests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import type { Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { newId } from '../src/kernel/secrets/ids.ts';
import { readDumpFixture } from './setup/crash-dumps.ts';
import { type FindMismatch, readDescription, type SeenResponse } from './setup/described.ts';
import { sendRaw } from './setup/raw.ts';
import {
  type Call,
  callOf,
  inWorkingOrder,
  makeSamples,
  paramsOf,
  requestOf,
  type Samples,
} from './setup/sample-calls.ts';
import { startServer, type TestServer } from './setup/server.ts';

type Credentials = Record<string, string>;

let server: TestServer;
let findMismatch: FindMismatch;

before(async () => {
  // The issue tracker of the samples is on this machine.
  server = await startServer({ env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1', CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS: '0' } });
  findMismatch = await readDescription(server);
});
after(() => server.stop());

function operationOf(id: string): Operation {
  return OPERATIONS.find((operation) => operation.id === id)!;
}

type Sending = { readonly at?: TestServer; readonly credentials?: Credentials };

async function send(operation: Operation, samples: Samples, call: Call, sending: Sending): Promise<SeenResponse> {
  const { at = server, credentials } = sending;
  const { path, init } = requestOf(operation, samples, call, credentials);
  const response = await fetch(at.api + path, init);
  return { status: response.status, headers: new Map(response.headers), text: await response.text() };
}

/** Sends a request, asserts that the document describes the response, and returns it. */
async function check(operation: Operation, samples: Samples, call: Call, sending: Sending = {}): Promise<SeenResponse> {
  const response = await send(operation, samples, call, sending);
  const problem = findMismatch(operation, response);
  assert.equal(problem, null, `${operation.id}: ${problem}: ${response.status} ${response.text.slice(0, 500)}`);
  return response;
}

/** Requests with one fault each, from a caller with access to the operation. */
function wrongCalls(operation: Operation, samples: Samples): Call[] {
  const every = (value: string) => Object.fromEntries(paramsOf(operation).map((name) => [name, value]));
  const query = { limit: 'many', page: '0', build_id: '§', cursor: '§', width: '-1', from: '§', checksum: '§' };
  const calls: Call[] = [
    { path: every('§') },
    { path: every('x'.repeat(300)) },
    { query },
    { headers: { origin: 'https://elsewhere.example', cookie: samples.studio.owner.cookie } },
  ];
  if (operation.method === 'GET') return calls;
  const { bodyKind = 'json', bodyLimit = MIB } = operation;
  return [
    ...calls,
    { body: '{"', headers: { 'content-type': 'application/json' } },
    { json: [] },
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=B' } },
    { body: 'x', headers: { 'content-encoding': 'br' } },
    ...(bodyKind === 'json' ? [{ json: 'x'.repeat(bodyLimit) }] : []),
  ];
}

describe('the OpenAPI document describes', () => {
  test('the successful response of each operation', async () => {
    const samples = await makeSamples(server);
    for (const operation of inWorkingOrder(OPERATIONS)) {
      const { status, text } = await check(operation, samples, await callOf(samples, operation));
      const advice = 'if it needs more than a body made from its schema, add a call to sample-calls.ts';
      assert.ok(status < 300, `${operation.id}: ${status} ${text.slice(0, 500)}; ${advice}`);
    }
  });

  test('the response of each operation to invalid requests and unknown callers', async () => {
    const samples = await makeSamples(server);
    const stranger = { 'x-access-token': 'x', 'x-secret-key': 'y', cookie: 'chauffeur.session_token=z' };
    for (const operation of inWorkingOrder(OPERATIONS)) {
      await check(operation, samples, {}, { credentials: {} });
      await check(operation, samples, {}, { credentials: stranger });
      for (const call of wrongCalls(operation, samples)) await check(operation, samples, call);
    }
  });

  test('the response of the HTTP parser for any operation', async () => {
    const operation = operationOf('games.list');
    for (const [status, header] of [
      [400, ['Content-Length', 'many']],
      [431, ['X-Long', 'x'.repeat(20_000)]],
    ] as const) {
      const response = await sendRaw(server, { method: 'GET', path: '/api/v1/games', headers: [header] });
      assert.ok(response !== null && response.status === status);
      assert.equal(findMismatch(operation, response), null);
    }
  });

  test('complete, partial and unchanged files, and ranges that a file does not have', async () => {
    const samples = await makeSamples(server);
    for (const id of [
      'store.download',
      'store.manifest',
      'store.manifestDifference',
      'store.patch',
      'media.download',
      'videos.download',
      'crashes.download',
      'crashes.getAttachmentImage',
    ]) {
      const operation = operationOf(id);
      const call = await callOf(samples, operation);
      const whole = await check(operation, samples, call);
      const statusWith = async (headers: Record<string, string>) =>
        (await check(operation, samples, { ...call, headers: { ...call.headers, ...headers } })).status;
      assert.equal(whole.status, 200);
      assert.equal(await statusWith({ range: 'bytes=0-3' }), 206);
      assert.equal(await statusWith({ range: 'bytes=99999999-' }), 416);
      assert.equal(await statusWith({ 'if-none-match': whole.headers.get('etag') ?? '' }), 304);
    }
    const shelf = await check(operationOf('store.shelf'), samples, {});
    const headers = { 'if-none-match': shelf.headers.get('etag') ?? '' };
    assert.equal((await check(operationOf('store.shelf'), samples, { headers })).status, 304);
  });

  test('the responses to crash reporters and their side-cars, which do not use the envelope', async () => {
    const samples = await makeSamples(server);
    const { game, buildId } = samples.studio;
    const headers = { 'x-app-id': game.uid, 'x-build-id': buildId };
    const formWith = (part: string, filename: string) => {
      const form = new FormData();
      form.append(part, new Blob([Buffer.from(readDumpFixture('null_deref_inline'))]), filename);
      return form;
    };
    const create = operationOf('crashes.create');
    const breakpad = await check(create, samples, { headers, body: formWith('upload_file_minidump', 'a.dmp') });
    assert.deepEqual([breakpad.status, breakpad.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const sideCarId = newId();
    const engine = await check(create, samples, { headers, body: formWith('dump', `${sideCarId}.dmp`) });
    assert.equal(engine.status, 201);
    const read = await check(operationOf('crashes.getPublic'), samples, { path: { id: sideCarId } });
    assert.equal(JSON.parse(read.text).id, sideCarId);
  });

  test('rate limits with the time to retry', async () => {
    const samples = await makeSamples(server);
    const limits = ['UPLOADS', 'SESSIONS', 'MEDIA', 'SYMBOL_UPLOADS', 'CRASHES', 'PUBLIC'];
    const env = Object.fromEntries(limits.map((name) => [`CHAUFFEUR_LIMIT_${name}`, '1']));
    const at = await startServer({ shareWith: server, role: 'api', env });
    try {
      for (const id of [
        'uploads.file',
        'uploads.openSession',
        'media.add',
        'videos.add',
        'symbols.upload',
        'events.create',
      ]) {
        const operation = operationOf(id);
        const statuses: number[] = [];
        // The second request exceeds the limit unless a new minute starts in between.
        while (statuses.length < 4 && statuses.at(-1) !== 429) {
          const call = await callOf(samples, operation);
          statuses.push((await check(operation, samples, call, { at })).status);
        }
        assert.equal(statuses.at(-1), 429, id);
      }
    } finally {
      await at.stop();
    }
  });
});
