// The forms of engines, Breakpad and Crashpad on a real server: requests as these clients send them, and the responses
// they need.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  attachmentsOf,
  blobOf,
  type CrashSender,
  countJobs,
  crashBlobs,
  idHeaders,
  makeSender,
  onlyReportOf,
  orphansOf,
  reportsOf,
} from './setup/crashes.ts';
import { multipartOf, type Part } from './setup/raw.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

const DUMP = Buffer.concat([Buffer.from('MDMP'), randomBytes(3000)]);
const LOG = Buffer.from('started\nloaded\ncrashed\n');
const FORM = 'multipart/form-data; boundary=B';

let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

function part(
  name: string,
  content: string | Uint8Array,
  { filename, type }: { filename?: string; type?: string } = {},
): Part {
  const disposition = `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`;
  return { headers: type === undefined ? disposition : `${disposition}\r\nContent-Type: ${type}`, content };
}

const dumpPart = (filename = `${randomUUID()}.dmp`, content: Uint8Array = DUMP) =>
  part('upload_file_minidump', content, { filename, type: 'application/octet-stream' });

type Sent = { status: number; type: string; text: string };

async function post(
  sender: CrashSender,
  body: Uint8Array,
  {
    headers = {},
    query = `?app_id=${sender.game.uid}&build_id=${sender.buildId}`,
  }: { headers?: Record<string, string>; query?: string } = {},
): Promise<Sent> {
  const response = await fetch(`${server.api}/public/crashes${query}`, {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

describe('the one-shot form of an engine', () => {
  const metadata = (sender: CrashSender) => ({
    app_id: sender.game.uid,
    build_id: sender.buildId,
    build_channel: 'stable',
    app_name: 'Racer',
    app_version: '2.0',
    engine_version: '4.4',
    os: 'macOS',
    message: 'boom',
    memory: { total: 8 },
  });
  const metadataPart = (content: object) => part('metadata', JSON.stringify(content), { type: 'application/json' });

  test('creates a report with dump and log, queued for processing', async () => {
    const sender = await makeSender(server);
    const id = randomUUID();
    const form = multipartOf([
      metadataPart(metadata(sender)),
      part('dump', DUMP, { filename: `${id}.dmp`, type: 'application/octet-stream' }),
      part('log', LOG, { type: 'text/plain' }),
    ]);
    const { status, text } = await post(sender, form, { query: '', headers: idHeaders(sender) });
    assert.equal(status, 201, text);
    const row = await onlyReportOf(sender);
    assert.equal(JSON.parse(text).data.id, row.report_id);
    const { source, state, app_name, app_version, engine_version, os, message, metadata: kept } = row;
    assert.deepEqual(
      { source, state, app_name, app_version, engine_version, os, message },
      {
        source: 'engine',
        state: 'queued',
        app_name: 'Racer',
        app_version: '2.0',
        engine_version: '4.4',
        os: 'macos',
        message: 'boom',
      },
    );
    assert.deepEqual(kept, { build_channel: 'stable', memory: '{"total":8}' });
    assert.deepEqual(await blobOf(sender, row.dump_key), DUMP);
    assert.deepEqual(await blobOf(sender, row.log_key), LOG);
    assert.equal(await countJobs(sender, 'crashes:process', row.report_id), 1);
  });

  test('takes no more storage than was sent, even if its files decompress to more', async () => {
    const sender = await makeSender(server);
    const zeros = Buffer.alloc(LIMITS.crashFileBytes);
    const parts = [metadataPart(metadata(sender)), part('dump', zeros, { filename: 'x.dmp' }), part('log', zeros)];
    const form = gzipSync(multipartOf(parts));
    assert.ok(form.length < 150_000);
    const headers = { ...idHeaders(sender), 'content-encoding': 'gzip' };
    assert.equal((await post(sender, form, { query: '', headers })).status, 201);
    const { dump_key, dump_size, log_key, log_size } = await onlyReportOf(sender);
    assert.deepEqual([dump_size, log_size], [zeros.length, zeros.length]);
    const stored = await Promise.all([dump_key, log_key].map((key) => server.ctx.blobs.stat(key ?? '')));
    const total = stored.reduce((sum, file) => sum + (file?.size ?? Number.NaN), 0);
    assert.ok(total < form.length, `${total} bytes are stored of ${form.length}`);
  });

  test('may have its ids only in the metadata, even after the dump', async () => {
    const sender = await makeSender(server);
    const parts = [part('dump', DUMP, { filename: 'x.dmp' }), metadataPart(metadata(sender))];
    assert.equal((await post(sender, multipartOf(parts), { query: '' })).status, 201);
    assert.equal((await onlyReportOf(sender)).dump_size, DUMP.length);
  });

  test('with unknown ids is refused, and its dump is not kept', async () => {
    const sender = await makeSender(server);
    const before = await crashBlobs(server);
    const parts = [part('dump', DUMP, { filename: 'x.dmp' }), metadataPart({ ...metadata(sender), build_id: newId() })];
    assert.equal((await post(sender, multipartOf(parts), { query: '' })).status, 403);
    assert.equal((await post(sender, multipartOf([parts[0]!]), { query: '' })).status, 400);
    assert.deepEqual(await crashBlobs(server), before);
  });

  const broken: [string, string, RegExp][] = [
    [
      'with unescaped backslashes',
      '{"message": "boom", "path": "C:\\Users\\new", "app_version": "2.1"}',
      /not a valid JSON object/,
    ],
    [
      'with unescaped quotes',
      '{"message": "boom", "app_version": "2.1", "gpu": "the "best" one"}',
      /not a valid JSON object/,
    ],
    ['that is cut off', '{"message": "boom", "app_version": "2.1", "os":', /not a valid JSON object/],
    ['that is an array', '[{"message": "boom", "app_version": "2.1"}]', /not a valid JSON object/],
  ];
  for (const [what, text, note] of broken)
    test(`with metadata ${what} keeps dump, log, the text, and the readable fields`, async () => {
      const sender = await makeSender(server);
      const parts = [
        part('metadata', text, { type: 'application/json' }),
        part('dump', DUMP, { filename: 'x.dmp' }),
        part('log', LOG, { type: 'text/plain' }),
      ];
      const { status, text: response } = await post(sender, multipartOf(parts), {
        query: '',
        headers: idHeaders(sender),
      });
      assert.equal(status, 201, response);
      const { source, message, app_version, dump_key, log_key, metadata: kept } = await onlyReportOf(sender);
      assert.deepEqual([source, message, app_version], ['engine', 'boom', '2.1']);
      assert.deepEqual([await blobOf(sender, dump_key), await blobOf(sender, log_key)], [DUMP, LOG]);
      assert.equal(kept.chauffeur_raw_metadata, text);
      assert.match(String(kept.chauffeur_omitted), note);
    });

  test('with empty metadata is kept with a note', async () => {
    for (const text of ['', ' \r\n']) {
      const sender = await makeSender(server);
      const form = multipartOf([part('metadata', text), part('dump', DUMP, { filename: 'x.dmp' })]);
      assert.equal((await post(sender, form, { query: '', headers: idHeaders(sender) })).status, 201);
      const { dump_size, metadata: kept } = await onlyReportOf(sender);
      assert.deepEqual([dump_size, kept], [DUMP.length, { chauffeur_omitted: 'The metadata was empty.' }]);
    }
  });

  test('finds its ids in invalid metadata', async () => {
    const sender = await makeSender(server);
    const text = `{"log": "C:\\x", "app_id": "${sender.game.uid}", "build_id" : "${sender.buildId}"}`;
    const form = multipartOf([part('dump', DUMP, { filename: 'x.dmp' }), part('metadata', text)]);
    assert.equal((await post(sender, form, { query: '' })).status, 201);
    assert.equal((await onlyReportOf(sender)).build_id, sender.buildId);
    const stranger = multipartOf([part('dump', DUMP, { filename: 'x.dmp' }), part('metadata', '{')]);
    assert.equal((await post(sender, stranger, { query: '' })).status, 400);
    assert.equal((await reportsOf(sender)).length, 1);
  });

  test('with too much metadata keeps the beginning of it', async () => {
    const sender = await makeSender(server);
    const text = `{"message":"boom","notes":"${'\u0000😱"\n'.repeat(200_000)}`;
    const form = multipartOf([part('metadata', text), part('dump', DUMP, { filename: 'x.dmp' })]);
    assert.equal((await post(sender, form)).status, 201);
    const { message, dump_size, metadata: kept } = await onlyReportOf(sender);
    assert.deepEqual([message, dump_size], ['boom', DUMP.length]);
    assert.ok(String(kept.chauffeur_raw_metadata).startsWith('{"message":"boom","notes":"😱'));
    assert.ok(String(kept.chauffeur_raw_metadata).length < 20_000);
    assert.match(String(kept.chauffeur_omitted), /larger than 1 MiB/);
  });

  test('with a log that is too large keeps the dump and a note, in either order', { timeout: 60_000 }, async () => {
    const sender = await makeSender(server);
    const huge = Buffer.alloc(LIMITS.crashFileBytes + MIB, 'log line\n');
    const form = multipartOf([
      part('log', huge, { filename: 'game.log' }),
      metadataPart(metadata(sender)),
      part('dump', DUMP, { filename: 'x.dmp' }),
    ]);
    assert.equal((await post(sender, form)).status, 201);
    const row = await onlyReportOf(sender);
    assert.deepEqual([row.log_key, row.dump_size], [null, DUMP.length]);
    assert.match(String(row.metadata.chauffeur_omitted), /The log is larger than 64 MB/);
  });

  test('with a dump that is too large creates a report that says so', { timeout: 60_000 }, async () => {
    const sender = await makeSender(server);
    const form = multipartOf([
      metadataPart(metadata(sender)),
      part('dump', Buffer.alloc(LIMITS.crashFileBytes + 1), { filename: 'x.dmp' }),
    ]);
    assert.equal((await post(sender, form)).status, 201);
    const { dump_key, failure, state } = await onlyReportOf(sender);
    assert.deepEqual([dump_key, state], [null, 'queued']);
    assert.match(failure ?? '', /The dump is larger than 64 MB/);
  });
});

describe('the form of Breakpad and Crashpad', () => {
  const annotations = [
    part('prod', 'Racer'),
    part('ver', '1.5'),
    part('guid', 'abc'),
    part('ptime', '1234'),
    part('comments', 'it broke'),
    part('email', 'a@b.c'),
  ];

  test('gets 200 with the plain id, and its annotations become fields and metadata', async () => {
    const sender = await makeSender(server);
    const { status, type, text } = await post(sender, multipartOf([...annotations, dumpPart()]));
    const row = await onlyReportOf(sender);
    assert.deepEqual([status, type, text], [200, 'text/plain; charset=utf-8', row.report_id]);
    const { source, app_name, app_version, user_message, metadata } = row;
    assert.deepEqual(
      { source, app_name, app_version, user_message, metadata },
      {
        source: 'breakpad',
        app_name: 'Racer',
        app_version: '1.5',
        user_message: 'it broke',
        metadata: { guid: 'abc', ptime: '1234', email: 'a@b.c' },
      },
    );
  });

  test('may be gzipped and chunked, without a length', async () => {
    const sender = await makeSender(server);
    const gzipped = gzipSync(multipartOf([...annotations, dumpPart()]));
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < gzipped.length; at += 500) controller.enqueue(gzipped.subarray(at, at + 500));
        controller.close();
      },
    });
    const response = await fetch(
      `${server.api}/public/crashes?app_id=${sender.game.uid}&build_id=${sender.buildId}&product=Racer&version=1.5&guid=abc`,
      {
        method: 'POST',
        headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
        body: stream,
        duplex: 'half',
      } as RequestInit,
    );
    assert.equal(response.status, 200);
    const row = await onlyReportOf(sender);
    assert.equal(row.source, 'crashpad');
    assert.deepEqual(await blobOf(sender, row.dump_key), DUMP);
  });

  test('may use HTTP/1.0, chunked and without a Host; the response is not chunked', async () => {
    const sender = await makeSender(server);
    const body = gzipSync(multipartOf([...annotations, dumpPart()]));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      `POST /api/v1/public/crashes?app_id=${sender.game.uid}&build_id=${sender.buildId} HTTP/1.0`,
      `Content-Type: ${FORM}`,
      'Content-Encoding: gzip',
      'Transfer-Encoding: chunked',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n`);
    socket.write(body);
    socket.write('\r\n0\r\n\r\n');
    const response = Buffer.concat(await socket.toArray()).toString();
    const [lines = '', text] = response.split('\r\n\r\n');
    assert.match(lines, /^HTTP\/1\.[01] 200 /);
    assert.doesNotMatch(lines, /transfer-encoding/i);
    const { report_id: reportId, source } = await onlyReportOf(sender);
    assert.deepEqual([text, source], [reportId, 'crashpad']);
  });

  test('of Electron has the version of the app and of Electron', async () => {
    const sender = await makeSender(server);
    const fields = [
      part('_productName', 'Racer'),
      part('_version', '3.1.0'),
      part('ver', '28.2.0'),
      part('prod', 'Electron'),
      part('platform', 'win32'),
    ];
    await post(sender, multipartOf([...fields, dumpPart()]));
    const { source, app_name, app_version, engine_version, os, metadata } = await onlyReportOf(sender);
    assert.deepEqual(
      { source, app_name, app_version, engine_version, os, metadata },
      {
        source: 'crashpad',
        app_name: 'Racer',
        app_version: '3.1.0',
        engine_version: '28.2.0',
        os: 'windows',
        metadata: { prod: 'Electron' },
      },
    );
  });

  test('may have its ids in fields, even after the dump', async () => {
    const sender = await makeSender(server);
    const parts = [dumpPart(), part('app_id', sender.game.uid), part('build_id', sender.buildId)];
    assert.equal((await post(sender, multipartOf(parts), { query: '' })).status, 200);
    assert.deepEqual((await onlyReportOf(sender)).metadata, {});
  });

  test('with too many or too long annotations is accepted, with a note about the rest', async () => {
    const sender = await makeSender(server);
    const many = Array.from({ length: 80 }, (_, no) => part(`key${no}`, no === 0 ? 'x'.repeat(5000) : 'v'));
    assert.equal((await post(sender, multipartOf([...many, dumpPart()]))).status, 200);
    const { metadata } = await onlyReportOf(sender);
    assert.equal(Object.keys(metadata).length, LIMITS.metadataKeys);
    assert.equal(String(metadata.key0).length, LIMITS.metadataValueLength);
    assert.match(String(metadata.chauffeur_omitted), /17 more fields were left out/);
  });

  test('keeps its other files as attachments', async () => {
    const sender = await makeSender(server);
    const parts = [
      part('attachment_log', LOG, { filename: 'game.log' }),
      part('screenshot', randomBytes(5000), { filename: 's.png' }),
      dumpPart(),
    ];
    assert.equal((await post(sender, multipartOf(parts))).status, 200);
    const { report_id, log_size, dump_size, metadata } = await onlyReportOf(sender);
    assert.deepEqual([log_size, dump_size], [LOG.length, DUMP.length]);
    assert.equal(metadata.chauffeur_omitted, undefined);
    const keys = (await crashBlobs(server)).filter((key) => key.includes(report_id));
    assert.equal(keys.length, 3);
  });

  test('with an invalid or truncated gzip body is refused', async () => {
    const sender = await makeSender(server);
    const whole = multipartOf([...annotations, dumpPart()]);
    const headers = { 'content-encoding': 'gzip' };
    for (const body of [whole, gzipSync(whole).subarray(0, 1500)])
      assert.equal((await post(sender, body, { headers })).status, 400);
    assert.equal((await post(sender, whole.subarray(0, 1500))).status, 400);
    assert.deepEqual(await reportsOf(sender), []);
  });

  for (const [extension, pack] of [
    ['gz', gzipSync],
    ['zst', zstdCompressSync],
  ] as const) {
    test(`may have a dump and a log as .${extension}, in any part`, async () => {
      const id = randomUUID();
      const named = [
        dumpPart(`${id}.dmp.${extension}`, pack(DUMP)),
        part('game', pack(LOG), { filename: `a.log.${extension}` }),
      ];
      const unnamed = [
        part('first', 'not it', { filename: 'a.bin' }),
        part('second', pack(DUMP), { filename: `crash.${extension}` }),
        part('log', pack(LOG)),
      ];
      for (const files of [named, unnamed]) {
        const sender = await makeSender(server);
        const sent = await post(sender, multipartOf([...annotations, ...files]));
        assert.equal(sent.status, 200, sent.text);
        const row = await onlyReportOf(sender);
        assert.deepEqual([row.dump_size, row.log_size, row.state], [DUMP.length, LOG.length, 'queued']);
        assert.deepEqual(await blobOf(sender, row.dump_key), DUMP);
        assert.deepEqual(await blobOf(sender, row.log_key), LOG);
        assert.equal(row.metadata.chauffeur_omitted, undefined);
        if (files === named) assert.equal((await post(sender, multipartOf(files))).text, sent.text);
      }
    });

    test(`with a .${extension} that is damaged or a bomb is kept without it, and says so`, async () => {
      for (const file of [pack(DUMP).subarray(0, -20), pack(Buffer.alloc(100 * MIB))]) {
        const sender = await makeSender(server);
        const log = part('log', pack(LOG).subarray(0, -5));
        assert.equal((await post(sender, multipartOf([...annotations, dumpPart('x.dmp', file), log]))).status, 200);
        const { failure, metadata, dump_key, log_key } = await onlyReportOf(sender);
        assert.deepEqual([dump_key, log_key], [null, null]);
        assert.match(failure ?? '', /^The dump was compressed, but damaged/);
        assert.match(String(metadata.chauffeur_omitted), /^The log was compressed, but damaged/);
      }
    });
  }

  test('takes a dump by its content only if no part is called a dump', async () => {
    const sender = await makeSender(server);
    const other = Buffer.concat([Buffer.from('MDMP'), randomBytes(100)]);
    const parts = [
      part('child', other, { filename: 'child.bin' }),
      dumpPart(),
      part('more', gzipSync(other), { filename: 'm' }),
    ];
    assert.equal((await post(sender, multipartOf([...annotations, ...parts]))).status, 200);
    const { dump_key } = await onlyReportOf(sender);
    assert.deepEqual(await blobOf(sender, dump_key), DUMP);
    const attached = await attachmentsOf(sender);
    assert.deepEqual(
      attached.map(({ name, size }) => [name, size]),
      [
        ['child.bin', other.length],
        ['m', gzipSync(other).length],
      ],
    );
  });

  test('that is compressed is read as far as everything that is kept could reach', async () => {
    const sender = await makeSender(server);
    const large = part('attachment', Buffer.alloc(170 * MIB), { filename: 'x' });
    const form = gzipSync(multipartOf([large, ...annotations, dumpPart()]), { level: 1 });
    assert.equal((await post(sender, form, { headers: { 'content-encoding': 'gzip' } })).status, 200);
    const { dump_key, metadata } = await onlyReportOf(sender);
    assert.equal(dump_key, null);
    assert.match(String(metadata.chauffeur_omitted), /too large/);
  });

  test('that decompresses to too much becomes a report of what came before the limit', {
    timeout: 60_000,
  }, async () => {
    const sender = await makeSender(server);
    const bomb = gzipSync(
      multipartOf([...annotations, dumpPart(), part('attachment', Buffer.alloc(520 * MIB), { filename: 'x' })]),
      { level: 1 },
    );
    assert.equal((await post(sender, bomb, { headers: { 'content-encoding': 'gzip' } })).status, 200);
    const { dump_size, metadata } = await onlyReportOf(sender);
    assert.equal(dump_size, DUMP.length);
    assert.match(String(metadata.chauffeur_omitted), /too large/);
  });

  test('leaves nothing behind if its client disconnects', async () => {
    const sender = await makeSender(server);
    const before = await crashBlobs(server);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    // Larger than what is held in memory before it is stored.
    const body = multipartOf([...annotations, dumpPart(undefined, randomBytes(8 * MIB))]);
    socket.write(
      `POST /api/v1/public/crashes?app_id=${sender.game.uid}&build_id=${sender.buildId} HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 6 * MIB));
    await until(async () => (await crashBlobs(server)).length > before.length);
    socket.destroy();
    await until(async () => (await crashBlobs(server)).length === before.length);
    assert.deepEqual(await reportsOf(sender), []);
  });
});
