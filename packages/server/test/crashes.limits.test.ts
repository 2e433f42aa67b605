// The limits of crash reports on a real server: reports, files and bytes a day, and requests a minute; 0 disables each.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { DAY, MINUTE, SECOND } from '../src/kernel/clock.ts';
import { changeQuota } from '../src/ship/quotas/quotas.ts';
import { type CrashSender, idHeaders, makeSender, orphansOf, report, reportsOf } from './setup/crashes.ts';
import { filePart, multipartOf } from './setup/raw.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { unrealArchive } from './setup/unreal.ts';

const START = new Date('2026-11-21T23:59:30Z');

const DUMP = Buffer.from('MDMP and no more');
const LOG = Buffer.from('started\ncrashed\n');

/** Sends a Breakpad form with the version after the files, and returns the report's id. */
async function sendForm(
  sender: CrashSender,
  dump: Uint8Array,
  { idsInForm = false }: { idsInForm?: boolean } = {},
): Promise<string> {
  const field = (name: string, value: string) => ({
    headers: `Content-Disposition: form-data; name="${name}"`,
    content: value,
  });
  const form = multipartOf([
    filePart(dump, { name: 'upload_file_minidump', filename: 'crash.dmp' }),
    filePart(LOG, { name: 'log', filename: 'game.log' }),
    field('ver', '7.0'),
    ...(idsInForm ? [field('app_id', sender.game.uid), field('build_id', sender.buildId)] : []),
  ]);
  const response = await fetch(`${sender.server.api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B', ...(!idsInForm && idHeaders(sender)) },
    body: form as Uint8Array<ArrayBuffer>,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

/** Sends an Unreal archive and returns the report's id. */
async function sendArchive(sender: CrashSender, dump: Uint8Array): Promise<string> {
  const xml =
    '<FGenericCrashContext><RuntimeProperties><EngineVersion>7.0</EngineVersion></RuntimeProperties></FGenericCrashContext>';
  const files = [
    { name: 'CrashContext.runtime-xml', content: Buffer.from(xml) },
    { name: 'Game.log', content: LOG },
    { name: 'UEMinidump.dmp', content: dump },
  ];
  const { status, body } = await request(`${sender.server.api}/public/crashes/unreal`, {
    method: 'POST',
    headers: idHeaders(sender),
    body: deflateSync(unrealArchive(files, { marked: true })) as Uint8Array<ArrayBuffer>,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.id;
}

function assertLimited({ status, headers, body }: ApiResponse, seconds: number): void {
  assert.deepEqual([status, body.error?.code], [429, 4290], JSON.stringify(body));
  assert.equal(headers.get('retry-after'), String(seconds));
  assert.deepEqual(body.error?.data, { retry_after: seconds });
}

describe('the daily limits of a game', () => {
  let now = START;
  let server: TestServer;

  before(async () => {
    const env = { CHAUFFEUR_LIMIT_CRASHES: '10', CHAUFFEUR_LIMIT_CRASH_UPLOADS: '5', CHAUFFEUR_LIMIT_PUBLIC: '0' };
    server = await startServer({ role: 'api', clock: { now: () => now }, env });
  });
  beforeEach(() => {
    now = START;
  });
  after(() => server.stop());

  test('accept exactly the limit when all reports arrive at once, and again the next UTC day', async () => {
    const sender = await makeSender(server);
    const responses = await Promise.all(Array.from({ length: 40 }, () => report(sender)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 10);
    for (const response of responses) if (response.status !== 201) assertLimited(response, 30);
    assert.equal((await reportsOf(sender)).length, 10);
    now = new Date(START.getTime() + 30 * SECOND);
    for (let no = 0; no < 10; no += 1) assert.equal((await report(sender)).status, 201);
    assertLimited(await report(sender), DAY / SECOND);
  });

  test('apply across processes', async () => {
    const other = await startServer({
      role: 'api',
      shareWith: server,
      clock: { now: () => now },
      env: { CHAUFFEUR_LIMIT_CRASHES: '10', CHAUFFEUR_LIMIT_PUBLIC: '0' },
    });
    const sender = await makeSender(server);
    const otherSender = { ...sender, server: other };
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, no) => report(no % 2 === 0 ? sender : otherSender)),
    );
    await other.stop();
    assert.equal(responses.filter(({ status }) => status === 201).length, 10);
    assert.equal((await reportsOf(sender)).length, 10);
  });

  test('count each game separately, without refused reports', async () => {
    const [one, two] = [await makeSender(server), await makeSender(server)];
    await Promise.all(Array.from({ length: 12 }, () => report(one)));
    for (let no = 0; no < 5; no += 1) await report({ ...two, buildId: one.buildId });
    for (let no = 0; no < 10; no += 1) assert.equal((await report(two)).status, 201);
  });

  test('accept a report past the limit of uploads without upload addresses, and note it', async () => {
    const sender = await makeSender(server);
    const both = { has_dump: true, has_log: true };
    const responses = await Promise.all(Array.from({ length: 4 }, () => report(sender, both)));
    const uploads = responses.map(({ status, body }) => [status, Object.keys(body.data.uploads).length]);
    assert.deepEqual(uploads.sort(), [
      [201, 0],
      [201, 0],
      [201, 2],
      [201, 2],
    ]);
    const states = (await reportsOf(sender)).map(({ state, failure }) => `${state} ${failure?.slice(0, 26) ?? ''}`);
    const refused = 'queued The dump was not requested';
    assert.deepEqual(states.sort(), [refused, refused, 'received ', 'received ']);
  });

  test('count the files of forms and archives, and keep further reports without files', async () => {
    for (const send of [sendForm, sendArchive]) {
      const sender = await makeSender(server);
      await Promise.all(Array.from({ length: 4 }, () => send(sender, DUMP)));
      const kept = await reportsOf(sender);
      assert.equal(kept.length, 4);
      const without = kept.filter(({ dump_key }) => dump_key === null);
      assert.equal(without.length, 2);
      for (const { state, failure, log_key, dump_size, metadata } of without) {
        assert.deepEqual([state, log_key, dump_size], ['queued', null, null]);
        assert.match(failure ?? '', /^The dump was not kept because the game had reached its daily limit/);
        assert.match(String(metadata.chauffeur_omitted), /The log was not kept because/);
      }
      // The limit is known before the files arrive, so they are skipped; the fields after them are read.
      const id = await send(sender, DUMP);
      const last = (await reportsOf(sender)).find(({ report_id }) => report_id === id);
      assert.deepEqual([last?.dump_key, last?.log_key], [null, null]);
      assert.ok([last?.app_version, last?.engine_version].includes('7.0'));
      assert.match(last?.failure ?? '', /daily limit/);
      assert.match(String(last?.metadata.chauffeur_omitted), /The log was not kept/);
      // The same limit applies to upload addresses.
      assert.deepEqual((await report(sender, { has_dump: true })).body.data.uploads, {});
    }
    assert.deepEqual(await orphansOf(server), []);
  });
});

describe('the daily limit on bytes of crash files', () => {
  let now = START;
  let server: TestServer;
  const LARGE = randomBytes(400_000);
  const SMALL = randomBytes(100_000);

  before(async () => {
    const env = { CHAUFFEUR_LIMIT_CRASH_MB: '1', CHAUFFEUR_LIMIT_PUBLIC: '0' };
    server = await startServer({ role: 'api', clock: { now: () => now }, env });
  });
  beforeEach(() => {
    now = START;
  });
  after(async () => {
    const orphans = await orphansOf(server).finally(() => server.stop());
    assert.deepEqual(orphans, []);
  });

  async function put(sender: CrashSender, bytes: Uint8Array, url?: string): Promise<ApiResponse> {
    const address = url ?? (await report(sender, { has_dump: true })).body.data.uploads.dump.url;
    return request(address, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> });
  }

  async function storedBytes(sender: CrashSender): Promise<number> {
    const keys = (await reportsOf(sender)).flatMap(({ dump_key, log_key }) => [dump_key, log_key]);
    const sizes = await Promise.all(
      keys.map(async (key) => (key === null ? 0 : (await server.ctx.blobs.stat(key))!.size)),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  test('refuses an upload with 4290, and accepts it the next UTC day', async () => {
    const sender = await makeSender(server);
    const { url } = (await report(sender, { has_dump: true })).body.data.uploads.dump;
    const responses = await Promise.all(Array.from({ length: 5 }, () => put(sender, LARGE)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 2);
    for (const response of responses) if (response.status !== 200) assertLimited(response, 30);
    assertLimited(await put(sender, LARGE, url), 30);
    // A smaller file still fits.
    assert.equal((await put(sender, SMALL)).status, 200);
    assert.ok((await storedBytes(sender)) < MIB);
    now = new Date(START.getTime() + 30 * SECOND);
    assert.equal((await put(sender, LARGE, url)).status, 200);
  });

  test('counts the compressed size', async () => {
    const sender = await makeSender(server);
    for (let no = 0; no < 3; no += 1) assert.equal((await put(sender, Buffer.alloc(4 * MIB))).status, 200);
    await sendForm(sender, Buffer.alloc(8 * MIB));
    assert.ok((await reportsOf(sender)).every(({ dump_size }) => (dump_size ?? 0) >= 4 * MIB));
  });

  test('keeps a form without the files that do not fit', async () => {
    const sender = await makeSender(server);
    await Promise.all(Array.from({ length: 4 }, () => sendForm(sender, LARGE)));
    assert.equal((await reportsOf(sender)).filter(({ dump_key }) => dump_key !== null).length, 2);
    const id = await sendForm(sender, LARGE);
    const last = (await reportsOf(sender)).find(({ report_id }) => report_id === id);
    assert.deepEqual([last?.dump_key, last?.app_version], [null, '7.0']);
    assert.match(last?.failure ?? '', /^The dump was not kept because the game had reached its daily limit/);
    assert.ok(last?.log_key !== null);
    // The bytes of refused files are not counted.
    assert.equal((await put(sender, SMALL)).status, 200);
    assert.ok((await storedBytes(sender)) < MIB);
  });

  test('is the quota of the game, if it has one', async () => {
    const sender = await makeSender(server);
    const setQuota = (mb: number | null) =>
      changeQuota(server.ctx, sender.game.uid, { storage_mb: undefined, crash_mb: mb }, null);
    const kept = async () => (await reportsOf(sender)).filter(({ dump_key }) => dump_key !== null).length;
    await setQuota(2);
    await Promise.all(Array.from({ length: 3 }, () => sendForm(sender, LARGE)));
    assert.equal((await put(sender, LARGE)).status, 200);
    assert.equal(await kept(), 4);
    const { url } = (await report(sender, { has_dump: true })).body.data.uploads.dump;
    await setQuota(1);
    await sendForm(sender, LARGE);
    assertLimited(await put(sender, SMALL, url), 30);
    assert.equal(await kept(), 4);
    await setQuota(0);
    assert.equal((await put(sender, LARGE, url)).status, 200);
    await sendForm(sender, LARGE);
    assert.equal(await kept(), 6);
    await setQuota(null);
    assertLimited(await put(sender, SMALL), 30);
  });

  test('applies to a form with its ids after its files', async () => {
    const sender = await makeSender(server);
    const send = () => sendForm(sender, LARGE, { idsInForm: true });
    await Promise.all([send(), send(), send(), send()]);
    assert.equal((await reportsOf(sender)).filter(({ dump_key }) => dump_key !== null).length, 2);
    await send();
    assert.equal((await reportsOf(sender)).length, 5);
    assert.ok((await storedBytes(sender)) < MIB);
  });
});

test('an address may send a limited number of POST requests a minute', async () => {
  let now = START;
  const server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '3' } });
  const sender = await makeSender(server);
  await report(sender);
  await report(sender, {}, {});
  await report(sender);
  assertLimited(await report(sender), 30);
  now = new Date(START.getTime() + MINUTE);
  assert.equal((await report(sender)).status, 201);
  await server.stop();
});

test('0 disables each limit', async () => {
  const limits = ['CRASHES', 'CRASH_UPLOADS', 'CRASH_MB', 'PUBLIC'].map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0']);
  const server = await startServer({ role: 'api', env: Object.fromEntries(limits) });
  const sender = await makeSender(server);
  const responses = await Promise.all(Array.from({ length: 50 }, () => report(sender, { has_dump: true })));
  for (const { status, body } of responses) assert.deepEqual([status, Object.keys(body.data.uploads)], [201, ['dump']]);
  await server.stop();
});
