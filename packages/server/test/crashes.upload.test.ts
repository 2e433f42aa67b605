// Uploads of dumps and logs on a real server, with files and with S3: complete, repeated, concurrent, too large,
// interrupted, late.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { DAY } from '../src/kernel/clock.ts';
import {
  blobOf,
  type CrashSender,
  countJobs,
  crashBlobs,
  makeSender,
  onlyReportOf,
  orphansOf,
  report,
} from './setup/crashes.ts';
import { beginRequest, filePart, multipartOf, readResponse } from './setup/raw.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

const DUMP = Buffer.concat([Buffer.from('MDMP'), randomBytes(100_000)]);

const s3 = await startS3();
after(() => s3?.stop());

type Opened = CrashSender & { crashId: string; dump: string; log: string };

async function open(server: TestServer): Promise<Opened> {
  const sender = await makeSender(server);
  const { data } = (await report(sender, { has_dump: true, has_log: true, message: 'boom' })).body;
  return { ...sender, crashId: data.id, dump: data.uploads.dump.url, log: data.uploads.log.url };
}

function put(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return request(url, { method: 'PUT', body: body as Uint8Array<ArrayBuffer>, headers });
}

function assertCode(response: ApiResponse, code: ErrorCode): void {
  assert.deepEqual(
    [response.status, response.body.error?.code],
    [ERRORS[code].status, code],
    JSON.stringify(response.body),
  );
}

describeUploads('on files', null);
describeUploads('on S3', s3);

function describeUploads(place: string, store: S3Server | null): void {
  const skip = place === 'on S3' && store === null && S3_MISSING;
  describe(`the upload addresses of a report ${place}`, { skip }, () => {
    let server: TestServer;
    let now = new Date();

    before(async () => {
      if (store !== null) Object.assign(process.env, store.env);
      const env = { CHAUFFEUR_LIMIT_PUBLIC: '0', ...(store !== null && { CHAUFFEUR_BLOBS: store.url }) };
      server = await startServer({ role: 'api', env, clock: { now: () => now } });
    });
    after(async () => {
      const left = (store === null ? orphansOf(server) : orphansOf(server)).finally(() => server.stop());
      assert.deepEqual(await left, []);
    });

    test('accept dump and log once, and queue the dump for processing', async () => {
      const opened = await open(server);
      const log = await put(opened.log, Buffer.from('a log'), { 'content-type': 'text/plain' });
      assert.deepEqual(log.body.data, { crash_id: opened.crashId, kind: 'log', size: 5 });
      assert.equal((await onlyReportOf(opened)).state, 'received');
      const dump = await put(opened.dump, DUMP);
      assert.deepEqual(dump.body.data, { crash_id: opened.crashId, kind: 'dump', size: DUMP.length });
      const row = await onlyReportOf(opened);
      assert.deepEqual([row.state, row.dump_size, row.log_size], ['queued', DUMP.length, 5]);
      assert.deepEqual(await blobOf(opened, row.dump_key), DUMP);
      assert.equal(await countJobs(opened, 'crashes:process', opened.crashId), 1);
      assertCode(await put(opened.dump, DUMP), 4040);
      assertCode(await put(opened.log, DUMP), 4040);
      assert.equal(await countJobs(opened, 'crashes:process', opened.crashId), 1);
    });

    test('accept the file in a form, and compressed', async () => {
      const opened = await open(server);
      const form = multipartOf([filePart(DUMP, { name: 'anything', filename: 'a.dmp' })]);
      assert.equal((await put(opened.dump, form, { 'content-type': 'multipart/form-data; boundary=B' })).status, 200);
      assert.equal((await put(opened.log, gzipSync('a log'), { 'content-encoding': 'gzip' })).status, 200);
      const row = await onlyReportOf(opened);
      assert.deepEqual(await blobOf(opened, row.dump_key), DUMP);
      assert.equal((await blobOf(opened, row.log_key)).toString(), 'a log');
    });

    test('unpack a dump or a log that is compressed, in a form and with a Content-Encoding, too', async () => {
      const form = { 'content-type': 'multipart/form-data; boundary=B' };
      for (const pack of [gzipSync, zstdCompressSync]) {
        const bodies: [Uint8Array, Record<string, string>][] = [
          [pack(DUMP), {}],
          [multipartOf([filePart(pack(DUMP), { name: 'x', filename: 'a.dmp.gz' })]), form],
          [gzipSync(pack(DUMP)), { 'content-encoding': 'gzip' }],
          [zstdCompressSync(DUMP), { 'content-encoding': 'zstd' }],
        ];
        for (const [body, headers] of bodies) {
          const opened = await open(server);
          const sent = await put(opened.dump, body, headers);
          assert.deepEqual(sent.body.data, { crash_id: opened.crashId, kind: 'dump', size: DUMP.length });
          assert.equal((await put(opened.log, pack(Buffer.from('a log')))).body.data.size, 5);
          const row = await onlyReportOf(opened);
          assert.deepEqual(await blobOf(opened, row.dump_key), DUMP);
          assert.equal((await blobOf(opened, row.log_key)).toString(), 'a log');
        }
      }
    });

    test('refuse a compressed file that is damaged, too large or a bomb, and can be used again', async () => {
      const opened = await open(server);
      const zeros = Buffer.alloc(LIMITS.crashFileBytes + 1);
      for (const pack of [gzipSync, zstdCompressSync]) {
        const packed = pack(DUMP);
        const cut = await put(opened.dump, packed.subarray(0, -10));
        assertCode(cut, 4001);
        assert.match(cut.body.error?.message ?? '', /^The dump is compressed with .* it is damaged or cut off\./);
        const bomb = await put(opened.dump, pack(zeros));
        assertCode(bomb, 4001);
        assert.match(bomb.body.error?.message ?? '', /unpacks to more than 200 times its size/);
        const large = Buffer.concat([randomBytes(MIB), zeros]);
        assertCode(await put(opened.dump, pack(large)), 4043);
        assertCode(await put(opened.dump, pack(Buffer.alloc(0))), 4001);
      }
      assert.equal((await put(opened.dump, gzipSync(DUMP))).status, 200);
      assert.equal((await crashBlobs(server)).filter((key) => key.includes(opened.crashId)).length, 1);
    });

    test('accept any content type', async () => {
      const types = [
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'dump',
        '',
        'a/b/c',
        ';',
        'text/',
      ];
      for (const type of types) {
        const opened = await open(server);
        assert.equal((await put(opened.dump, DUMP, { 'content-type': type })).status, 200, type);
      }
    });

    test('accept one of two concurrent uploads, and keep nothing of the other', async () => {
      const opened = await open(server);
      const responses = await Promise.all(Array.from({ length: 4 }, () => put(opened.dump, DUMP)));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404, 404]);
      assert.equal(await countJobs(opened, 'crashes:process', opened.crashId), 1);
    });

    test('refuse a file that is too large, and can be used again', { timeout: 60_000 }, async () => {
      const opened = await open(server);
      const large = Buffer.alloc(LIMITS.crashFileBytes + 1);
      assertCode(await put(opened.dump, large), 4043);
      assertCode(await put(opened.dump, gzipSync(large), { 'content-encoding': 'gzip' }), 4043);
      const form = multipartOf([filePart(large)]);
      assertCode(await put(opened.dump, form, { 'content-type': 'multipart/form-data; boundary=B' }), 4043);
      assert.equal((await put(opened.dump, large.subarray(1))).status, 200);
    });

    test('refuse an empty body and a form without a file, and can be used again', async () => {
      const opened = await open(server);
      assertCode(await put(opened.dump, Buffer.alloc(0)), 4001);
      assertCode(await put(opened.dump, multipartOf([]), { 'content-type': 'multipart/form-data; boundary=B' }), 4001);
      assert.equal((await put(opened.dump, DUMP)).status, 200);
    });

    test('can be used again after an interrupted upload', async () => {
      const opened = await open(server);
      const before = await crashBlobs(server);
      const socket = await beginRequest(server, {
        method: 'PUT',
        path: new URL(opened.dump).pathname,
        headers: [['Content-Length', String(DUMP.length)]],
        body: DUMP.subarray(0, 50_000),
      });
      socket.destroy();
      await readResponse(socket);
      assert.equal((await put(opened.dump, DUMP)).status, 200);
      await until(async () => (await crashBlobs(server)).length === before.length + 1);
    });

    test('expire after a day, and accept no other token', async () => {
      const opened = await open(server);
      const other = await open(server);
      const swapped = `${opened.dump.slice(0, -4)}${other.dump.slice(-4)}`;
      for (const url of [
        swapped,
        `${opened.dump}A`,
        opened.dump.slice(0, -1),
        `${server.api}/public/crashes/uploads/x`,
      ])
        assertCode(await put(url, DUMP), 4040);
      const begin = now;
      now = new Date(begin.getTime() + DAY - 1000);
      assert.equal((await put(opened.log, DUMP)).status, 200);
      now = new Date(begin.getTime() + DAY + 1000);
      assertCode(await put(opened.dump, DUMP), 4040);
      now = begin;
    });
  });
}
