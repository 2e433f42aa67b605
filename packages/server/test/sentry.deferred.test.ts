// What Sentry's SDKs send while the database is away. They send nothing again.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { lockGames } from '../src/analytics/sdk-sessions/sessions.sql.ts';
import { forgetKey } from '../src/crash/sentry/dsns/find-dsn.ts';
import { encodeRequest, PREFIX } from '../src/http/deferred/requests.ts';
import { takeDeferred } from '../src/http/deferred/take.job.ts';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { DAY, HOUR } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { newId, timeOfId } from '../src/kernel/secrets/ids.ts';
import { readDumpFixture } from './setup/crash-dumps.ts';
import { type CrashSender, makeSender, reportsOf } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { outageOf } from './setup/outage.ts';
import { filePart, multipartOf, sendRaw } from './setup/raw.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let server: TestServer;
let now = Date.now();

before(async () => {
  server = await startServer({
    role: 'api',
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0' },
  });
});
after(() => server.stop());

type Sender = CrashSender & TestDsn;

/** A game whose DSN the server has seen. */
async function start(): Promise<Sender> {
  const sender = await makeSender(server);
  const known = { ...sender, ...(await makeDsn(server, sender.game)) };
  assert.equal((await post(known, '{}\n')).status, 200);
  return known;
}

function post({ projectNo, key }: TestDsn, body: string | Buffer, path = 'envelope/', headers = {}): Promise<Response> {
  return fetch(`${server.url}/api/${projectNo}/${path}`, {
    method: 'POST',
    headers: { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`, ...headers },
    body: new Uint8Array(Buffer.from(body as string)),
  });
}

const newEventId = () => randomUUID().replaceAll('-', '');

function crash(id: string, attachment = ''): string {
  const event = { event_id: id, exception: [{ type: 'Error', value: 'boom', mechanism: { handled: false } }] };
  const lines = [{ event_id: id }, { type: 'event' }, event];
  const file = `${JSON.stringify({ type: 'attachment', length: attachment.length, filename: 'save.txt' })}\n${attachment}\n`;
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${attachment === '' ? '' : file}`;
}

async function duringOutage(run: () => Promise<void>): Promise<void> {
  const outage = outageOf(server.database);
  await outage.begin();
  try {
    await run();
  } finally {
    await outage.end();
  }
}

/** The pool of the database may still have connections that have ended. */
const take = () =>
  until(() =>
    takeDeferred(server.ctx, {}, { signal: AbortSignal.timeout(60_000) }).then(
      () => true,
      () => false,
    ),
  );

async function listDeferred(): Promise<string[]> {
  return (await Array.fromAsync(server.ctx.blobs.list('sentry-deferred/'))).map(({ key }) => key);
}

describe('reports of SDKs while the database is away', () => {
  it('are accepted, and taken once it is back', async () => {
    const sender = await start();
    const [plain, packed, withFile, later] = [newEventId(), newEventId(), newEventId(), newEventId()];
    const dump = filePart(readDumpFixture('null_deref_inline'), { name: 'upload_file_minidump', filename: 'a.dmp' });
    await duringOutage(async () => {
      const answers = [
        await post(sender, crash(plain)),
        await post(sender, gzipSync(crash(packed)), 'envelope/', { 'content-encoding': 'gzip' }),
        await post(sender, crash(withFile, 'level 4')),
        await post(sender, multipartOf([dump]), 'minidump/', { 'content-type': 'multipart/form-data; boundary=B' }),
        await post(sender, JSON.stringify({ event_id: later, level: 'fatal', message: 'late' }), 'store/'),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      );
    });
    assert.equal((await listDeferred()).length, 5);
    await take();
    assert.deepEqual(await listDeferred(), []);
    const reports = await reportsOf(sender);
    assert.deepEqual(reports.map(({ message }) => message).sort(), [
      '',
      'Error: boom',
      'Error: boom',
      'Error: boom',
      'late',
    ]);
    const names = await rows(
      server.ctx.db,
      sql<{ name: string }>`select a ->> 'name' as name from crash_reports, jsonb_array_elements(attachments) a
        where game_id = ${sender.game.uid}`,
    );
    assert.deepEqual(names, [{ name: 'save.txt' }]);
    assert.equal(reports.filter(({ dump_key }) => dump_key !== null).length, 1);
  });

  it('count once, although they are sent again and taken again', async () => {
    const sender = await start();
    const id = newEventId();
    await duringOutage(async () => {
      for (let n = 0; n < 3; n += 1) assert.equal((await post(sender, crash(id))).status, 200);
    });
    await Promise.all([take(), take()]);
    assert.equal((await post(sender, crash(id))).status, 200);
    await take();
    assert.equal((await reportsOf(sender)).length, 1);
  });

  it('are refused with a time to wait if their key is not known to be valid', async () => {
    const sender = await start();
    await duringOutage(async () => {
      const answer = await post({ ...sender, key: 'f'.repeat(32) }, crash(newEventId()));
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers.get('retry-after')) >= 60);
      assert.match(answer.headers.get('x-sentry-rate-limits')!, /^\d+:error;/);
      const ofOther = { ...sender, projectNo: sender.projectNo + 1 };
      assert.equal((await post(ofOther, crash(newEventId()))).status, 403);
    });
    assert.deepEqual(await listDeferred(), []);
  });

  it('are dropped if the key was revoked since', async () => {
    const sender = await start();
    await duringOutage(async () => {
      assert.equal((await post(sender, crash(newEventId()))).status, 200);
    });
    await until(() =>
      revoke(sender).then(
        () => true,
        () => false,
      ),
    );
    await take();
    assert.deepEqual([await listDeferred(), await reportsOf(sender)], [[], []]);
  });

  it('leave nothing if they are cut off', async () => {
    const sender = await start();
    await duringOutage(async () => {
      assert.equal((await post(sender, crash(newEventId()))).status, 200);
      const body = Buffer.from(crash(newEventId(), 'x'.repeat(100_000)));
      const head = [
        ['X-Sentry-Auth', `Sentry sentry_key=${sender.key}`],
        ['Content-Length', String(body.length)],
      ] as const;
      const request = { method: 'POST', path: `/api/${sender.projectNo}/envelope/`, headers: head };
      const sent = Array.from({ length: 10 }, (_, part) =>
        sendRaw(server, { ...request, body: body.subarray(0, (part * body.length) / 10) }, { endAfter: true }),
      );
      await Promise.all(sent);
    });
    await take();
    assert.equal((await reportsOf(sender)).length, 1);
    const left = await listDeferred();
    assert.deepEqual(
      await Promise.all(left.map((key) => server.ctx.blobs.stat(key))),
      left.map(() => null),
    );
    now += 25 * HOUR;
    await take();
    assert.deepEqual(await listDeferred(), []);
  });
});

describe('a game that sends more sessions than can be written', () => {
  it('delays no report of another game', async () => {
    const [flood, other] = [await start(), await start()];
    const release = { release: 'owls@1.0.0' };
    const envelope = () => {
      const items = Array.from({ length: 500 }, () => {
        const session = { sid: newEventId(), started: new Date(now).toISOString(), status: 'ok', attrs: release };
        return `{"type":"session"}\n${JSON.stringify(session)}`;
      });
      return gzipSync(['{}', ...items].join('\n'));
    };
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await post(flood, envelope(), 'envelope/', headers)).status, 200);
    const sent: Promise<Response>[] = [];
    await server.ctx.db.transaction().execute(async (tx) => {
      await lockGames(tx, [flood.game.uid]);
      for (let n = 0; n < 60; n += 1) sent.push(post(flood, envelope(), 'envelope/', headers));
      await until(async () => (await listDeferred()).length > 0);
      const id = newEventId();
      assert.equal((await post(other, crash(id))).status, 200);
      assert.equal((await reportsOf(other)).length, 1);
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
    await take();
    assert.deepEqual(await listDeferred(), []);
    const [stored] = await rows(
      server.ctx.db,
      sql<{
        sessions: number;
      }>`select count(*)::integer as sessions from sdk_sessions where game_id = ${flood.game.uid}`,
    );
    assert.equal(stored?.sessions, 61 * 500);
  });
});

describe('more reports of a game than can be taken at once', () => {
  const COUNT = 60;

  /** Runs while no report can be written. */
  async function whileNoneIsWritten<T>(run: () => Promise<T>): Promise<T> {
    return await server.ctx.db.transaction().execute(async (tx) => {
      await changed(tx, sql`lock table crash_reports in exclusive mode`);
      return await run();
    });
  }

  it('are accepted, share blobs, and are taken by a job at once', async () => {
    const sender = await start();
    const ids = Array.from({ length: COUNT }, newEventId);
    let early: Response[] = [];
    const sent = await whileNoneIsWritten(async () => {
      const all = ids.map((id, no) => (no % 2 ? post(sender, crash(id)) : postPacked(sender, crash(id))));
      early = await firstOf(all, COUNT - CROWD);
      return all;
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
    assert.equal(early.length, COUNT - CROWD);
    const blobs = await listDeferred();
    assert.ok(blobs.length > 0 && blobs.length < COUNT - CROWD, String(blobs.length));
    assert.equal((await reportsOf(sender)).length, CROWD);
    await until(isEnqueued);
    await take();
    assert.deepEqual(await listDeferred(), []);
    assert.equal((await reportsOf(sender)).length, COUNT);
  });

  it('are refused past the limit of the day, and not deferred', async () => {
    const sender = await start();
    await leaveRoom(sender, 1);
    assert.equal((await post(sender, crash(newEventId()))).status, 200);
    assert.equal((await post(sender, crash(newEventId()))).status, 429);
    const sent = await Promise.all(Array.from({ length: COUNT }, () => post(sender, crash(newEventId()))));
    assert.deepEqual([...new Set(sent.map(({ status }) => status))], [429]);
    assert.deepEqual(await listDeferred(), []);
  });

  it('that are past the limit of the day when they are taken are dropped', async () => {
    const sender = await start();
    await leaveRoom(sender, CROWD + 1);
    const sent = await whileNoneIsWritten(async () => {
      const all = Array.from({ length: COUNT }, () => post(sender, crash(newEventId())));
      await firstOf(all, COUNT - CROWD);
      return all;
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
    await take();
    assert.deepEqual(await listDeferred(), []);
    assert.equal((await reportsOf(sender)).length, CROWD + 1);
  });

  it('stay deferred alone if taking them fails', async () => {
    const sender = await start();
    const [broken, fine] = [newEventId(), newEventId()];
    const requests = [fine, broken].map((id, no) =>
      encodeRequest(no === 0 ? 'sentry.envelope' : 'sentry.unknown', headOf(sender), Buffer.from(crash(id))),
    );
    const key = `${PREFIX}${newId(now)}`;
    await server.ctx.blobs.put(key, bytesOfBuffer(Buffer.concat(requests)));
    await take();
    assert.equal((await reportsOf(sender)).length, 1);
    const [left] = await listDeferred();
    assert.notEqual(left, key);
    assert.equal(timeOfId(left!.slice(PREFIX.length)), now);
    now += 8 * DAY;
    await take();
    assert.deepEqual(await listDeferred(), []);
  });
});

/** The number of requests that are taken at the same time. */
const CROWD = 16;

function postPacked(sender: Sender, body: string): Promise<Response> {
  return post(sender, gzipSync(body), 'envelope/', { 'content-encoding': 'gzip' });
}

/** Resolves to the first responses, once there are so many. */
async function firstOf(sent: readonly Promise<Response>[], count: number): Promise<Response[]> {
  const arrived: Response[] = [];
  for (const response of sent) void response.then((each) => arrived.push(each));
  await until(async () => arrived.length >= count);
  return [...arrived];
}

async function isEnqueued(): Promise<boolean> {
  const jobs = await rows(server.ctx.db, sql`select from graphile_worker.jobs where key = ${'sentry:take-deferred'}`);
  return jobs.length > 0;
}

/** So many reports of the game may still come today. */
async function leaveRoom({ game }: Sender, reports: number): Promise<void> {
  const used = server.ctx.config.limitCrashes - reports;
  const day = new Date(Math.floor(now / DAY) * DAY);
  await changed(
    server.ctx.db,
    sql`insert into rate_counters (subject, name, window_start, used) values (${game.uid}, 'crashes', ${day}, ${used})`,
  );
}

function headOf({ projectNo, key }: Sender) {
  const headers = { 'x-sentry-auth': `Sentry sentry_key=${key}` };
  return { headers, query: new URLSearchParams(), project: String(projectNo) };
}

async function revoke({ dsnId, key }: Sender): Promise<void> {
  await changed(server.ctx.db, sql`update dsns set revoked_at = now() where dsn_id = ${dsnId}`);
  forgetKey(server.ctx, key);
}
