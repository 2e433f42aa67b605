// Sends generated invalid requests to every operation of the real server: each response is documented, nothing crashes,
// and no unreferenced data is left.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERRORS, isErrorCode } from '@chauffeur/contract/errors';
import { successesOf } from '@chauffeur/contract/messages';
import { errorsOf, type Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { STANDARD_EVENTS } from '@chauffeur/contract/operations/events';
import fc from 'fast-check';
import { sql } from 'kysely';
import { processCrash } from '../src/crash/crashes/process/process.job.ts';
import { rows } from '../src/kernel/database/db.ts';
import { readDumpFixture, readSymbolFixture, reportCrash } from './setup/crash-dumps.ts';
import { type Nonsense, nonsenseFor, type ValidTexts } from './setup/nonsense.ts';
import { type RawRequest, type RawResponse, sendRaw } from './setup/raw.ts';
import { makeGame, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, compileNow } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register, sha256, ship, smallZip, startSession } from './setup/uploads.ts';

const RUNS = 500;

let server: TestServer;
let game: TestGame;
let session: { cookie: string };
let validTexts: ValidTexts;

before(async () => {
  const limits = ['UPLOADS', 'SESSIONS', 'CHUNKS', 'MEDIA', 'SYMBOL_UPLOADS'].map((name) => [
    `CHAUFFEUR_LIMIT_${name}`,
    '0',
  ]);
  server = await startServer({ role: 'api', env: Object.fromEntries(limits) });
  game = await makeGame(server);
  // Not the game of the deploy key, because issuing a key for that game would revoke it.
  const own = await makeGame(server);
  session = await signIn(server, own.owner);
  validTexts = await collectValidTexts(own);
  await addCrash();
});
after(() => server.stop());

/** Adds a report with its dump and stack, and compiled symbols, so that blobs of these kinds exist as well. */
async function addCrash(): Promise<void> {
  const buildId = await register(server, game, { version: '2.0.0' });
  const [symbols] = await addSymbols(server, game, buildId, readSymbolFixture('null_deref_inline'));
  await compileNow(server, game, symbols!.checksum);
  const dump = readDumpFixture('null_deref_inline');
  const reportId = await reportCrash(server, game, buildId, { dump });
  const attempt = { number: 1, last: false, signal: new AbortController().signal };
  await processCrash(server.ctx, { gameId: game.uid, reportId }, attempt);
  assert.deepEqual(await orphans(), []);
}

async function collectValidTexts(own: TestGame): Promise<ValidTexts> {
  const zip = smallZip();
  const shipped = await ship(server, game);
  const sessions = await Promise.all([1, 2, 3, 4].map(() => startSession(server, game, zip)));
  const texts = {
    uid: [own.uid, own.slug, game.uid],
    build_id: [shipped.buildId, shipped.buildId, await register(server, own)],
    file_uid: [shipped.fileUid],
    session_id: sessions,
    user_id: [own.owner.id, game.owner.id],
    email: [game.owner.email],
    os: ['linux'],
    arch: ['x86_64'],
    channel: ['stable', 'beta'],
    version: ['1.0.0'],
    build_type: ['game'],
    engine_version: ['4.3'],
    checksum: [sha256(zip)],
    filename: ['game.zip'],
    name: ['A Game'],
    slug: ['a-game'],
    total_size: [String(zip.length)],
    page: ['1'],
    page_size: ['5'],
    sender: [`app_id=${game.uid}&build_id=${shipped.buildId}`],
    event: [...Object.keys(STANDARD_EVENTS), 'level_up'],
    device_uid: ['device-1', 'device-2'],
    header: [...sessions, `bytes 0-9/${zip.length}`, `bytes 0-${zip.length - 1}/${zip.length}`],
  };
  return new Map(Object.entries(texts));
}

test('every invalid request gets a documented response', async () => {
  const property = fc.asyncProperty(nonsenseFor(OPERATIONS, validTexts), async (nonsense) => {
    const response = await sendRaw(server, requestOf(nonsense), { endAfter: nonsense.framing === 'long' });
    const problem = problemOf(nonsense, response);
    assert.equal(problem, null, `${problem} ${response?.status} ${response?.text}`);
  });
  await fc.assert(property, { numRuns: RUNS });
  const health = await fetch(`${server.url}/health`);
  assert.deepEqual(await health.json(), { status: 'ok' });
  // An interrupted request is cleaned up after its connection has closed.
  await until(async () => (await orphans()).length === 0);
});

function requestOf({ caller, method, path, headers, body, framing }: Nonsense): RawRequest {
  const isGame = caller === 'game' || caller === 'both';
  const isPerson = caller === 'person' || caller === 'both';
  const credentials = Object.entries({ ...(isGame && game.keyHeaders), ...(isPerson && session) });
  const bytes = Buffer.from(body ?? '', 'latin1');
  const difference = framing === 'long' ? 100 : framing === 'short' ? -Math.ceil(bytes.length / 2) : 0;
  const length: [string, string][] =
    framing === 'chunked'
      ? [['Transfer-Encoding', 'chunked']]
      : [['Content-Length', String(bytes.length + difference)]];
  const sent = framing === 'chunked' ? inChunks(bytes) : bytes;
  return {
    method,
    path,
    headers: [...credentials, ...headers, ...(body === null ? [] : length)],
    ...(body !== null && { body: sent }),
  };
}

/** The body in chunked encoding (RFC 9112, 7.1). */
function inChunks(bytes: Buffer): Buffer {
  const chunk = bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
  return Buffer.from(`${chunk}0\r\n\r\n`, 'latin1');
}

/** Why the operation does not document the response; null if it does. */
function problemOf(nonsense: Nonsense, response: RawResponse): string | null {
  const operation = OPERATIONS.find(({ id }) => id === nonsense.operation)!;
  if (response === null) return mayHaveNoResponse(nonsense) ? null : 'no response';
  if (response.status >= 500) return 'an internal error';
  if (isOfTheHttpLayer(response)) return null;
  return response.status < 400 ? problemOfSuccess(operation, response) : problemOfRefusal(operation, response);
}

/**
 * A client that disconnects early gets no response. If it sends data after the end of its request, or far more headers
 * than the server reads, the connection may be reset before it has read the response (RFC 9112, 9.6).
 */
function mayHaveNoResponse({ framing, headers, path }: Nonsense): boolean {
  return framing === 'long' || framing === 'short' || `${path}${headers.join()}`.length > 12_000;
}

/**
 * Responses that are sent before an operation is selected: 400 and 431 of the HTTP parser, for invalid lengths, lines
 * and headers, and 400 of the router, for invalid percent-encoding or a very long path parameter.
 */
function isOfTheHttpLayer({ status, body }: NonNullable<RawResponse>): boolean {
  return (
    (status === 400 || status === 431) &&
    body?.error?.code === 4002 &&
    /^The (request|headers) /.test(body.error.message)
  );
}

function problemOfSuccess(operation: Operation, { status, body }: NonNullable<RawResponse>): string | null {
  const success = successesOf(operation).find((success) => success.status === status);
  if (success === undefined) return 'an undocumented success status';
  const mayBePlain = success.contents.length === 0 || success.contents.some(({ enveloped }) => !enveloped);
  return body?.success === true || mayBePlain ? null : 'a success without an envelope';
}

function problemOfRefusal(operation: Operation, { status, body }: NonNullable<RawResponse>): string | null {
  const { code, message = '' } = body?.error ?? {};
  if (status === 416 && operation.statuses.includes(206)) return null;
  if (!isErrorCode(code)) return 'an error without a registered code';
  if (!errorsOf(operation).includes(code)) return 'an undocumented code';
  // 4044 has two statuses: a chunk that does not continue its session is a conflict.
  if (status !== ERRORS[code].status && !(code === 4044 && status === 409))
    return 'a status that does not match the code';
  return message === '' ? 'no message' : null;
}

/** Blobs without a row, and rows without their blob. */
async function orphans(): Promise<string[]> {
  const referenced = await rows(
    server.ctx.db,
    sql<{ key: string }>`select blob_key as key from files union select blob->>'key' from upload_sessions
      union select blob_key from media
      union select unnest(array_remove(array[blob_key, cache_key], null)) from symbol_texts
      union select unnest(array_remove(array[dump_key, log_key, stack_key], null)) from crash_reports`,
  );
  const stored: string[] = [];
  for await (const { key } of server.ctx.blobs.list('')) stored.push(key);
  return [...new Set(stored).symmetricDifference(new Set(referenced.map(({ key }) => key)))];
}
