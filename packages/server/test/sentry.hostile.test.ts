// Envelopes of Sentry's SDKs that are cut, damaged or far too large, on a real server.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { OMISSIONS_KEY } from '../src/crash/crashes/receive/details.ts';
import { takeDeferred } from '../src/http/deferred/take.job.ts';
import { onlyRow } from '../src/kernel/database/db.ts';
import { blobOf, type CrashSender, makeSender, onlyReportOf, orphansOf } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { fieldPart, filePart, multipartOf, sendRaw } from './setup/raw.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;

before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

type Sender = CrashSender & TestDsn;

async function start(): Promise<Sender> {
  const sender = await makeSender(server);
  return { ...sender, ...(await makeDsn(server, sender.game)) };
}

const newEventId = () => randomUUID().replaceAll('-', '');

/** A crash with a file, its session, feedback, and what a client discarded. */
function fullEnvelope(): string {
  const id = newEventId();
  const release = 'owls@9.9.9';
  const exception = [{ type: 'Error', value: 'boom', mechanism: { handled: false } }];
  const items: [object, unknown][] = [
    [{ type: 'attachment', filename: 'save.json' }, { level: 4 }],
    [{ type: 'event' }, { event_id: id, release, exception, breadcrumbs: [{ message: 'start' }] }],
    [
      { type: 'session' },
      { sid: newEventId(), init: true, started: new Date().toISOString(), status: 'crashed', attrs: { release } },
    ],
    [{ type: 'user_report' }, { event_id: id, name: 'Ann', email: 'ann@example.com', comments: 'I fell' }],
    [{ type: 'client_report' }, { discarded_events: [{ reason: 'sample_rate', category: 'error', quantity: 2 }] }],
  ];
  const lines = items.flatMap(([header, payload]) => {
    const text = JSON.stringify(payload);
    return [JSON.stringify({ ...header, length: text.length }), text];
  });
  return `${[JSON.stringify({ event_id: id }), ...lines].join('\n')}\n`;
}

async function post({ projectNo, key }: Sender, body: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/api/${projectNo}/envelope/`, {
    method: 'POST',
    headers: { 'x-sentry-auth': `Sentry sentry_key=${key}`, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });
  await response.arrayBuffer();
  return response.status;
}

function countsOf({ game }: Sender): Promise<{ reports: number; tickets: number; sessions: number }> {
  return onlyRow(
    server.ctx.db,
    sql<{ reports: number; tickets: number; sessions: number }>`select
      (select count(*)::integer from crash_reports where game_id = ${game.uid}) as reports,
      (select count(*)::integer from bug_tickets where game_id = ${game.uid}) as tickets,
      (select count(*)::integer from sdk_sessions where game_id = ${game.uid}) as sessions`,
  );
}

/** Eight at once, in any order. */
async function eachOf<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await run(item);
    }),
  );
}

describe('an envelope that ends at any byte', () => {
  for (const [name, encoding, encode] of [
    ['uncompressed', null, (bytes: Buffer) => bytes],
    ['in gzip', 'gzip', gzipSync],
    ['in Brotli', 'br', brotliCompressSync],
    ['in Zstandard', 'zstd', zstdCompressSync],
  ] as const)
    it(`${name} is taken as far as it can be read, and counts once`, async () => {
      const sender = await start();
      const whole = encode(Buffer.from(fullEnvelope()));
      const headers: Record<string, string> = encoding === null ? {} : { 'content-encoding': encoding };
      const ends = Array.from({ length: whole.length }, (_, end) => end + 1);
      await eachOf(ends, async (end) => {
        const status = await post(sender, whole.subarray(0, end), headers);
        assert.ok(status === 200 || (status >= 400 && status < 500 && status !== 429), `${status} at ${end}`);
      });
      assert.equal(await post(sender, whole, headers), 200);
      assert.deepEqual(await countsOf(sender), { reports: 1, tickets: 1, sessions: 1 });
    });

  it('of the connection leaves nothing but what arrived whole', async () => {
    const sender = await start();
    const whole = Buffer.from(fullEnvelope());
    const head = [
      ['X-Sentry-Auth', `Sentry sentry_key=${sender.key}`],
      ['Content-Length', String(whole.length)],
    ] as const;
    const request = { method: 'POST', path: `/api/${sender.projectNo}/envelope/`, headers: head };
    const ends = Array.from({ length: Math.floor(whole.length / 7) }, (_, no) => no * 7);
    await eachOf(ends, async (end) => {
      await sendRaw(server, { ...request, body: whole.subarray(0, end) }, { endAfter: true });
    });
    assert.equal(await post(sender, whole), 200);
    // Some arrived while many others were being taken.
    await takeDeferred(server.ctx, {}, { signal: AbortSignal.timeout(60_000) });
    assert.deepEqual(await countsOf(sender), { reports: 1, tickets: 1, sessions: 1 });
  });
});

describe('a form', () => {
  const send = async ({ projectNo, key }: Sender, body: Uint8Array, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/api/${projectNo}/minidump/?sentry_key=${key}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=B', ...headers },
      body: body as Uint8Array<ArrayBuffer>,
      signal: AbortSignal.timeout(20_000),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const large = filePart(Buffer.alloc(LIMITS.crashAttachmentBytes + 4 * MIB), { name: 'save', filename: 'save.bin' });
  const dump = filePart(Buffer.from('MDMPx'), { name: 'upload_file_minidump', filename: 'a.dmp' });

  it('with a file that is too large is taken without it', async () => {
    const sender = await start();
    assert.equal(await send(sender, multipartOf([large, dump, fieldPart('ver', '1.4.2')])), 200);
    const report = await onlyReportOf(sender);
    assert.notEqual(report.dump_key, null);
    assert.equal(report.app_version, '1.4.2');
  });

  it('with more fields than are held in memory is taken without the others', async () => {
    const sender = await start();
    const fields = Array.from({ length: 200 }, (_, no) => fieldPart(`f${no}`, 'x'.repeat(60_000)));
    const parts = Array.from({ length: 40 }, (_, no) =>
      filePart(Buffer.alloc(MIB, '1'), { name: `sentry__${no}`, filename: 'x' }),
    );
    assert.equal(await send(sender, multipartOf([...fields, ...parts, dump, fieldPart('ver', '1.4.2')])), 200);
    const { dump_key, app_version, metadata } = await onlyReportOf(sender);
    assert.deepEqual([dump_key !== null, app_version], [true, '1.4.2']);
    assert.match(String(metadata[OMISSIONS_KEY]), /fields were too large together/);
  });

  it('whose file has almost the boundary again and again is kept as it is', async () => {
    const sender = await start();
    const content = Buffer.concat([Buffer.from('MDMP'), Buffer.alloc(3 * MIB + 1, '\r\n--C')]);
    const body = multipartOf([filePart(content, { name: 'upload_file_minidump', filename: 'a.dmp' })]);
    assert.equal(await send(sender, gzipSync(body), { 'content-encoding': 'gzip' }), 200);
    const { dump_key } = await onlyReportOf(sender);
    assert.ok((await blobOf(sender, dump_key)).equals(content));
  });

  it('that grows a thousandfold when it is decoded is answered soon', async () => {
    const sender = await start();
    const body = brotliCompressSync(multipartOf([dump, ...Array<typeof large>(20).fill(large)]), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
    });
    const before = process.cpuUsage();
    assert.equal(await send(sender, body, { 'content-encoding': 'br' }), 200);
    assert.ok(process.cpuUsage(before).user < 2_000_000);
    assert.notEqual((await onlyReportOf(sender)).dump_key, null);
  });
});

describe('an envelope of the largest kind', () => {
  /** The event with a field of this JSON. */
  const withField = (id: string, field: string) =>
    Buffer.from(`{"event_id":"${id}"}\n{"type":"event"}\n{"event_id":"${id}","level":"fatal",${field}}\n`);

  for (const [name, field] of [
    ['200,000 breadcrumbs', `"breadcrumbs":[${Array(200_000).fill('{}').join()}]`],
    ['100,000 tags', `"tags":{${Array.from({ length: 100_000 }, (_, no) => `"${no}":1`).join()}}`],
    ['30,000 exceptions', `"exception":[${Array(30_000).fill('{"type":"E"}').join()}]`],
    ['200,000 levels', `"extra":${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a message of a megabyte', `"message":"${'\\u0000'.repeat(150_000)}"`],
  ] as const)
    it(`with ${name} is answered, and at most one report`, async () => {
      const sender = await start();
      const body = withField(newEventId(), field);
      const statuses = await Promise.all(Array.from({ length: 4 }, () => post(sender, body)));
      for (const status of statuses) assert.ok(status === 200 || status === 400 || status === 413, String(status));
      assert.ok((await countsOf(sender)).reports <= 1);
      assert.equal((await fetch(`${server.url}/health`)).status, 200);
    });

  it('is kept when many arrive at once, one report for each', async () => {
    const sender = await start();
    const field = `"message":"${'x'.repeat(7_000_000)}"`;
    const bodies = Array.from({ length: 16 }, () => withField(newEventId(), field));
    const statuses = await Promise.all(bodies.map((body) => post(sender, body)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await countsOf(sender)).reports, 16);
  });

  it('is kept after others of which clients sent only a part', async () => {
    const sender = await start();
    const field = `"message":"${'x'.repeat(1_000_000)}"`;
    const whole = withField(newEventId(), field);
    const head = [
      ['X-Sentry-Auth', `Sentry sentry_key=${sender.key}`],
      ['Content-Length', String(whole.length)],
    ] as const;
    const request = { method: 'POST', path: `/api/${sender.projectNo}/envelope/`, headers: head };
    await Promise.all(
      Array.from({ length: 8 }, () =>
        sendRaw(server, { ...request, body: whole.subarray(0, 600_000) }, { endAfter: true }),
      ),
    );
    assert.equal(await post(sender, whole), 200);
    assert.equal((await countsOf(sender)).reports, 1);
  });

  it('that grows a thousandfold when it is decoded is refused', async () => {
    const sender = await start();
    const bomb = gzipSync(
      Buffer.concat([Buffer.from('{}\n{"type":"event"}\n'), Buffer.alloc(300 * 1024 * 1024, 0x20)]),
    );
    const status = await post(sender, bomb, { 'content-encoding': 'gzip' });
    assert.ok(status === 200 || status === 400 || status === 413, String(status));
    assert.equal((await countsOf(sender)).reports, 0);
  });
});
