// Crash reports as JSON on a real server: storage, refusals, jobs, database outages, and reports from web pages.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import { reportPartitionOf } from '../src/crash/crashes/report/files.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  type CrashSender,
  countJobs,
  idHeaders,
  makeSender,
  onlyReportOf,
  report,
  reportsOf,
} from './setup/crashes.ts';
import { readMetric } from './setup/metrics.ts';
import { outageOf } from './setup/outage.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let sender: CrashSender;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

function assertCode(response: ApiResponse, code: ErrorCode, message: RegExp = /./): void {
  assert.deepEqual(
    [response.status, response.body.error?.code],
    [ERRORS[code].status, code],
    JSON.stringify(response.body),
  );
  assert.match(response.body.error?.message ?? '', message);
}

describe('a crash report in JSON', () => {
  before(async () => {
    sender = await makeSender(server);
  });

  test('is stored with an upload address for each announced file', async () => {
    const details = {
      has_dump: true,
      has_log: true,
      app_name: 'Racer',
      app_version: '1.4.2-rc1',
      engine_version: '4.3.1',
      os: 'Windows 11',
      arch: 'AMD64',
      message: 'boom',
      user_message: 'It crashed 😱',
      anonymous: true,
      metadata: { gpu: 'RTX', fps: 58.5, vr: false, mod: null },
    };
    const sender = await makeSender(server);
    const { status, body } = await report(sender, details);
    assert.equal(status, 201, JSON.stringify(body));
    const row = await onlyReportOf(sender);
    const { has_dump: _, has_log: __, ...kept } = details;
    assert.deepEqual(row, {
      ...kept,
      os: 'windows',
      arch: 'x86_64',
      report_id: body.data.id,
      build_id: sender.buildId,
      source: 'api',
      state: 'received',
      dump_key: null,
      dump_size: null,
      log_key: null,
      log_size: null,
      failure: null,
    });
    const { dump, log } = body.data.uploads;
    assert.deepEqual([dump.method, dump.max_bytes, dump.filename], ['PUT', 64 * 1024 * 1024, 'dump.dmp']);
    assert.deepEqual([log.method, log.filename], ['PUT', 'log.txt']);
    const hours = (Date.parse(dump.expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24, dump.expires_at);
    assert.ok(dump.url.startsWith(`${server.api}/public/crashes/uploads/`), dump.url);
  });

  test('takes missing fields from its build, and has no upload addresses by default', async () => {
    const sender = await makeSender(server);
    const { body } = await report(sender, {});
    assert.deepEqual(body.data.uploads, {});
    const { app_version, os, arch, state } = await onlyReportOf(sender);
    assert.deepEqual(
      { app_version, os, arch, state },
      { app_version: '1.4.2', os: 'linux', arch: 'x86_64', state: 'queued' },
    );
  });

  test('is grouped by a job of the same transaction, unless it waits for its dump', async () => {
    const jobsOf = async (body: object) =>
      countJobs(sender, 'crashes:group', (await report(sender, body)).body.data.id);
    assert.equal(await jobsOf({ message: 'a' }), 1);
    assert.equal(await jobsOf({ has_log: true }), 1);
    assert.equal(await jobsOf({ has_dump: true }), 0);
  });

  test('is in the partition of its month, and the default partition stays empty', async () => {
    const { body } = await report(sender);
    const count = async (table: string) =>
      (await rows(server.ctx.db, sql`select from ${sql.table(table)} where report_id = ${body.data.id}`)).length;
    assert.equal(await count(reportPartitionOf(new Date()).name), 1);
    assert.equal(await count('crash_reports_default'), 0);
  });

  test('accepts ids in the query, even with text appended to them', async () => {
    const { game, buildId } = sender;
    const send = (query: string) =>
      request(`${server.api}/public/crashes/${query}`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      });
    assert.equal((await send(`?app_id=${game.uid}&build_id=${buildId}`)).status, 201);
    assert.equal((await send(`?app_id=${game.uid.toUpperCase()}&build_id=${buildId}?AppID=x&y=z`)).status, 201);
  });

  test('does not store the address of its sender', async () => {
    const { headers } = await request(`${server.api}/public/crashes`, {
      method: 'POST',
      headers: { ...idHeaders(sender), 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.77' },
      body: '{}',
    });
    assert.ok(headers.get('x-request-id'));
    const { count } = await onlyRow(
      server.ctx.db,
      sql<{
        count: number;
      }>`select count(*) from crash_reports r where r::text ~ '203\\.0\\.113|127\\.0\\.0\\.1'`,
    );
    assert.equal(count, 0);
  });
});

test('a report that is too long, nested or not storable is kept, and says what was changed', async () => {
  sender = await makeSender(server);
  const sent = {
    message: `boom\0${'x'.repeat(2000)}`,
    user_message: 'x'.repeat(4001),
    device_uid: 'my device',
    metadata: { ['k'.repeat(65)]: 1, long: 'v'.repeat(1025), nested: { a: [1] }, lone: '\ud800' },
  };
  assert.equal((await report(sender, sent)).status, 201);
  const [stored] = await reportsOf(sender);
  assert.ok(stored);
  assert.equal(stored.message, `boom${'x'.repeat(1020)}`);
  const { chauffeur_omitted: omitted, ...metadata } = stored.metadata as Record<string, unknown>;
  assert.deepEqual(metadata, {
    device_uid: 'my device',
    ['k'.repeat(64)]: 1,
    long: 'v'.repeat(1024),
    nested: '{"a":[1]}',
    lone: '\ufffd',
  });
  for (const part of ['message was cut', 'user_message was cut', 'device_uid', 'Keys', 'Values', 'JSON', 'stored'])
    assert.ok(String(omitted).includes(part), part);
});

describe('an invalid crash report', () => {
  before(async () => {
    sender = await makeSender(server);
  });
  const refusals: [string, () => Promise<ApiResponse>, ErrorCode, RegExp][] = [
    ['no headers', () => report(sender, {}, {}), 4010, /X-App-Id/],
    ['no build', () => report(sender, {}, { 'x-app-id': sender.game.uid }), 4010, /X-Build-Id/],
    ['malformed ids', () => report(sender, {}, { 'x-app-id': 'racer', 'x-build-id': '1.0' }), 4030, /build_id/],
    ['an unknown game', () => report(sender, {}, { ...idHeaders(sender), 'x-app-id': newId() }), 4030, /build_id/],
    ['an unknown build', () => report(sender, {}, { ...idHeaders(sender), 'x-build-id': newId() }), 4030, /build_id/],
    ['invalid JSON', () => report(sender, '{"message":'), 4001, /JSON/],
    ['JSON other than an object', () => report(sender, '[]'), 4001, /object/],
    ['an empty body', () => report(sender, ''), 4001, /object/],
    ['a field of the wrong type', () => report(sender, { has_dump: 'yes' }), 4001, /has_dump/],
    [
      'too many keys',
      () => report(sender, { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, no) => [`k${no}`, no])) }),
      4130,
      /more than 64 keys/,
    ],
  ];
  for (const [name, send, code, message] of refusals) {
    test(`${name} is refused with ${code}, and nothing is stored`, async () => {
      assertCode(await send(), code, message);
      assert.deepEqual(await reportsOf(sender), []);
    });
  }

  test("of another game's build is refused with 4030", async () => {
    const other = await makeSender(server);
    assertCode(await report(sender, {}, { ...idHeaders(sender), 'x-build-id': other.buildId }), 4030);
  });

  test('is counted by the rule that refuses it', async () => {
    const value = async () => (await readMetric(server, 'chauffeur_crash_refusals_total{rule="no_ids"}')) ?? 0;
    const before = await value();
    await report(sender, {}, {});
    assert.equal(await value(), before + 1);
  });

  test('does not include one with 64 keys and values of 1,024 characters', async () => {
    const sender = await makeSender(server);
    const metadata = Object.fromEntries(
      Array.from({ length: 64 }, (_, no) => [`k${no}`, no === 0 ? '😱'.repeat(1024) : no]),
    );
    assert.equal((await report(sender, { metadata })).status, 201);
    assert.deepEqual((await onlyReportOf(sender)).metadata, metadata);
  });
});

test('reports that arrive at once are all stored once, each with its own response', async () => {
  const sender = await makeSender(server);
  const stranger = { ...sender, buildId: newId() };
  const responses = await Promise.all(
    Array.from({ length: 300 }, (_, no) => report(no % 10 === 3 ? stranger : sender, { message: `crash ${no}` })),
  );
  for (const [no, response] of responses.entries()) assert.equal(response.status, no % 10 === 3 ? 403 : 201);
  const stored = new Map((await reportsOf(sender)).map(({ report_id, message }) => [report_id, message]));
  assert.equal(stored.size, 270);
  for (const [no, { body }] of responses.entries())
    if (no % 10 !== 3) assert.equal(stored.get(body.data.id), `crash ${no}`);
});

test('while the database is unavailable, responses say when to retry, and nothing is partly written', async () => {
  const sender = await makeSender(server);
  const outage = outageOf(server.database);
  await outage.begin();
  try {
    const responses = await Promise.all(Array.from({ length: 20 }, () => report(sender)));
    for (const response of responses) {
      assertCode(response, 5030);
      assert.ok(Number(response.headers.get('retry-after')) > 0);
    }
  } finally {
    await outage.end();
  }
  assert.equal((await report(sender)).status, 201);
  assert.equal((await reportsOf(sender)).length, 1);
});

describe('a page of another origin', () => {
  test('may send preflight requests, and read responses and refusals', async () => {
    const preflight = await fetch(`${server.api}/public/crashes`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://game.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-app-id',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /x-app-id/i);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
    const refused = await report(sender, {}, { origin: 'https://game.example' });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [400, '*']);
  });

  test('may upload files to upload addresses, and call nothing else', async () => {
    const put = await fetch(`${server.api}/public/crashes/uploads/x`, { method: 'OPTIONS' });
    assert.match(put.headers.get('access-control-allow-methods') ?? '', /PUT/);
    const other = await request(`${server.api}/games`, { headers: { origin: 'https://game.example' } });
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  });
});
