// Reports that clients send again after a lost response, on a real server: one report, and the same response each time.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createReport, RepeatedError } from '../src/crash/crashes/receive/create.ts';
import { DAY, SECOND } from '../src/kernel/clock.ts';
import { changed, onlyRow, transact } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  type CrashSender,
  countJobs,
  idHeaders,
  makeSender,
  onlyReportOf,
  orphansOf,
  report,
  reportsOf,
} from './setup/crashes.ts';
import { isLockAwaited } from './setup/lock-waits.ts';
import { readMetric } from './setup/metrics.ts';
import { fieldPart, filePart, multipartOf } from './setup/raw.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DUMP = Buffer.concat([Buffer.from('MDMP'), randomBytes(3000)]);

let server: TestServer;
let secondServer: TestServer;
let now = Date.now();

before(async () => {
  const options = { role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_CRASHES: '20' } } as const;
  const clock = { now: () => new Date(now) };
  server = await startServer({ ...options, clock });
  secondServer = await startServer({ ...options, clock, shareWith: server });
});
after(async () => {
  await secondServer.stop();
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

const engineForm = (filename: string) =>
  multipartOf([
    fieldPart('metadata', JSON.stringify({ message: 'boom' })),
    filePart(DUMP, { name: 'dump', filename }),
    filePart(Buffer.from('a log'), { name: 'log', filename: 'game.log' }),
  ]);
const crashpadForm = (filename: string) =>
  multipartOf([fieldPart('guid', 'of the client'), filePart(DUMP, { name: 'upload_file_minidump', filename })]);

const WAITING = 'chauffeur_batch_waiting{queue="crash_reports"}';

type Sent = { status: number; text: string };

async function send(sender: CrashSender, form: Uint8Array, { api } = server): Promise<Sent> {
  const response = await fetch(`${api}/public/crashes`, {
    method: 'POST',
    headers: { ...idHeaders(sender), 'content-type': 'multipart/form-data; boundary=B' },
    body: form as Uint8Array<ArrayBuffer>,
  });
  return { status: response.status, text: await response.text() };
}

const nameOf = (id: string) => `${id}.dmp`;

describe('a report that is sent again', () => {
  for (const [client, form, status] of [
    ['an engine', engineForm, 201],
    ['Crashpad', crashpadForm, 200],
  ] as const) {
    test(`by ${client} gets the same response, and is one report with one set of files`, async () => {
      const sender = await makeSender(server);
      const id = randomUUID();
      const first = await send(sender, form(nameOf(id)));
      const again = await send(sender, form(nameOf(id.toUpperCase())), secondServer);
      assert.equal(first.status, status, first.text);
      assert.deepEqual(again, first);
      const { report_id: reportId } = await onlyReportOf(sender);
      assert.equal(await countJobs(sender, 'crashes:process', reportId), 1);
      assert.deepEqual(await orphansOf(server), []);
    });
  }

  test('many times at once to two processes is one report', async () => {
    const sender = await makeSender(server);
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (let round = 0; round < 3; round += 1) {
      const sent = ids.flatMap((id) =>
        Array.from({ length: 6 }, (_, no) =>
          send(sender, crashpadForm(nameOf(id)), no % 2 === 0 ? server : secondServer),
        ),
      );
      const responses = await Promise.all(sent);
      assert.ok(responses.every(({ status }) => status === 200));
      assert.equal((await reportsOf(sender)).length, ids.length);
      const storedIds = (await reportsOf(sender)).map(({ report_id }) => report_id);
      assert.deepEqual(new Set(responses.map(({ text }) => text)), new Set(storedIds));
    }
    assert.deepEqual(await orphansOf(server), []);
  });

  test('at once to two processes that both take it for new is stored once', async () => {
    const { game, buildId } = await makeSender(server);
    // Both count toward the daily limit of 20.
    for (let round = 0; round < 10; round += 1) {
      const clientRef = randomUUID();
      const contexts = [server.ctx, secondServer.ctx];
      // The writers don't look for earlier copies, as if they had been written after that.
      const results = await Promise.allSettled(
        contexts.map((ctx) =>
          createReport(ctx, { gameId: game.uid, buildId, details: {}, source: 'engine', clientRef }),
        ),
      );
      const refused = results.filter(({ status }) => status === 'rejected');
      assert.equal(refused.length, 1);
      for (const { reason } of refused as PromiseRejectedResult[])
        assert.ok(reason instanceof RepeatedError, String(reason));
    }
  });

  test('past the daily limit gets the same response, while a new report is refused each time', async () => {
    const sender = await makeSender(server);
    const names = Array.from({ length: 20 }, () => nameOf(randomUUID()));
    const first = await Promise.all(names.map((name) => send(sender, crashpadForm(name))));
    assert.deepEqual(await Promise.all(names.map((name) => send(sender, crashpadForm(name)))), first);
    const another = nameOf(randomUUID());
    const refused = await Promise.all([0, 1, 2].map(() => send(sender, crashpadForm(another))));
    assert.deepEqual(
      refused.map(({ status }) => status),
      [429, 429, 429],
    );
    assert.deepEqual(await orphansOf(server), []);
  });

  test('after a refusal, or after the first was deleted, is stored', async () => {
    const sender = await makeSender(server);
    const form = crashpadForm(nameOf(randomUUID()));
    assert.equal((await send({ ...sender, buildId: newId() }, form)).status, 403);
    const { text } = await send(sender, form);
    await changed(server.ctx.db, sql`delete from crash_reports where report_id = ${text}`);
    for await (const { key } of server.ctx.blobs.list('crashes/'))
      if (key.includes(text)) await server.ctx.blobs.delete(key);
    const next = await send(sender, form);
    assert.deepEqual([next.status, (await onlyReportOf(sender)).report_id], [200, next.text]);
    assert.notEqual(next.text, text);
  });
});

describe('a report in JSON with an idempotency key', () => {
  const BODY = { message: 'boom', has_dump: true, has_log: true, attachments: [{ name: 'a.png' }] };
  /** Processes of one service have the same public URL; those of this test have not. */
  async function sendJson(sender: CrashSender, key: string, body: unknown = BODY, at = server): Promise<ApiResponse> {
    const sent = await report({ ...sender, server: at }, body, { ...idHeaders(sender), 'idempotency-key': key });
    return { ...sent, body: JSON.parse(JSON.stringify(sent.body).replaceAll(at.url, server.url)) };
  }

  test('gets the same response again, from any process, and is one report', async () => {
    const sender = await makeSender(server);
    const key = randomUUID();
    const first = await sendJson(sender, key);
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.ok(first.body.data.uploads.attachments[0].url);
    const quoted = await sendJson(sender, `"${key}"`, JSON.stringify(BODY, null, 2), secondServer);
    assert.deepEqual([quoted.status, quoted.body.data], [201, first.body.data]);
    assert.equal((await request(first.body.data.uploads.dump.url, { method: 'PUT', body: DUMP })).status, 200);
    assert.deepEqual((await sendJson(sender, key)).body.data, first.body.data);
    assert.equal((await onlyReportOf(sender)).dump_size, DUMP.length);
  });

  test('is one report if it is sent many times at once to two processes', async () => {
    const sender = await makeSender(server);
    for (let round = 0; round < 3; round += 1) {
      const key = randomUUID();
      const sent = await Promise.all(
        Array.from({ length: 12 }, (_, no) => sendJson(sender, key, BODY, no % 2 === 0 ? server : secondServer)),
      );
      assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(sent.map(({ body }) => JSON.stringify(body.data))).size, 1);
      assert.equal((await reportsOf(sender)).length, round + 1);
    }
  });

  test('is refused if another body or build has the key, also at the same time, and is not written', async () => {
    const sender = await makeSender(server);
    const otherBuild = { ...sender, buildId: await register(server, sender.game, { version: '2' }) };
    const key = randomUUID();
    const together = await Promise.all(
      [server, secondServer, server].map((at, no) => sendJson(sender, key, { message: `boom ${no}` }, at)),
    );
    assert.deepEqual(together.map(({ status }) => status).sort(), [201, 422, 422]);
    const refused = [...together.filter(({ status }) => status === 422), await sendJson(otherBuild, key, BODY)];
    for (const { status, body } of refused) assert.deepEqual([status, body.error?.code], [422, 4227]);
    assert.equal((await reportsOf(sender)).length, 1);
  });

  test('is refused if a report that is being written has the key with another body', async () => {
    const sender = await makeSender(server);
    const key = randomUUID();
    const { db } = server.ctx;
    const sent = await transact(db, async (tx) => {
      // While the first report waits for the build, all others wait for it.
      await onlyRow(tx, sql`select from builds where build_id = ${sender.buildId} for update`);
      const first = sendJson(sender, randomUUID());
      await until(() => isLockAwaited(db));
      const next = ['boom 0', 'boom 0', 'boom 1'].map((message) => sendJson(sender, key, { message }));
      // One of the two with the same body: the others are answered as it is.
      await until(async () => (await readMetric(server, WAITING)) === 1);
      return [first, ...next];
    });
    const [, original, repeated, other] = await Promise.all(sent);
    assert.deepEqual([original!.status, original!.body.data], [repeated!.status, repeated!.body.data]);
    // Either of the two bodies may have arrived first.
    assert.deepEqual([original!.status, other!.status].sort(), [201, 422]);
    assert.equal((original!.status === 422 ? original! : other!).body.error?.code, 4227);
    assert.equal((await reportsOf(sender)).length, 2);
  });

  test('is another report for another game or key, without a key, and a day later', async () => {
    const [sender, foreign] = [await makeSender(server), await makeSender(server)];
    const key = randomUUID();
    const first = await sendJson(sender, key);
    const ids = [
      first,
      await sendJson(foreign, key),
      await sendJson(sender, randomUUID()),
      await report(sender, BODY),
      await report(sender, BODY),
    ].map(({ body }) => body.data.id);
    assert.equal(new Set(ids).size, ids.length);
    now += DAY - SECOND;
    assert.deepEqual((await sendJson(sender, key)).body.data, first.body.data);
    now += 2 * SECOND;
    assert.ok(!ids.includes((await sendJson(sender, key)).body.data.id));
  });

  test('is not counted again, and not refused past the daily limit', async () => {
    const sender = await makeSender(server);
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const first = await Promise.all(keys.map((key) => sendJson(sender, key)));
    assert.ok(first.every(({ status }) => status === 201));
    const again = await Promise.all(keys.map((key) => sendJson(sender, key, BODY, secondServer)));
    assert.deepEqual(
      again.map(({ body }) => body.data),
      first.map(({ body }) => body.data),
    );
    assert.equal((await sendJson(sender, randomUUID())).status, 429);
  });

  test('is refused with a malformed key, and stores only a hash that gives no access', async () => {
    const sender = await makeSender(server);
    for (const key of ['', 'x'.repeat(256), '"unfinished', 'two words', 'schlüssel', '"a" , "b"']) {
      const { status, body } = await sendJson(sender, key);
      assert.deepEqual([status, body.error?.code], [400, 4001], key);
    }
    const key = randomUUID();
    await sendJson(sender, key);
    const { stored } = await onlyRow(
      server.ctx.db,
      sql<{ stored: string }>`select jsonb_agg(to_jsonb(report) || to_jsonb(name))::text as stored
        from crash_reports report join crash_report_names name using (game_id, report_id) where report.game_id = ${sender.game.uid}`,
    );
    assert.ok(!stored.includes(key));
    assert.equal((await request(`${server.api}/public/crashes/${key}`)).status, 404);
  });
});

describe('a separate report is', () => {
  test('a report of another build, another game, or under another id', async () => {
    const sender = await makeSender(server);
    const other = { ...sender, buildId: await register(server, sender.game, { version: '2' }) };
    const foreign = await makeSender(server);
    const id = randomUUID();
    const responses = [
      await send(sender, crashpadForm(nameOf(id))),
      await send(other, crashpadForm(nameOf(id))),
      await send(foreign, crashpadForm(nameOf(id))),
      await send(sender, crashpadForm(nameOf(randomUUID()))),
    ];
    assert.equal(new Set(responses.map(({ text }) => text)).size, 4);
  });

  test('a report whose filename is not an id', async () => {
    const sender = await makeSender(server);
    for (let round = 0; round < 2; round += 1) await send(sender, crashpadForm('crash.dmp'));
    assert.equal((await reportsOf(sender)).length, 2);
  });

  test('a report that arrives a day later', async () => {
    const sender = await makeSender(server);
    const form = crashpadForm(nameOf(randomUUID()));
    const first = await send(sender, form);
    now += DAY - SECOND;
    assert.deepEqual(await send(sender, form), first);
    now += 2 * SECOND;
    assert.notEqual((await send(sender, form)).text, first.text);
    assert.equal((await reportsOf(sender)).length, 2);
  });
});
