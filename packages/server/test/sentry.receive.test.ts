// What Sentry's SDKs send, on a real server: who may send, what they are answered, and what comes apart.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { assignReleases } from '../src/crash/sentry/receive/assign.job.ts';
import { writeSentryCounts } from '../src/crash/sentry/receive/counts.ts';
import { listParts } from '../src/crash/sentry/receive/parts.ts';
import { settleParts } from '../src/crash/sentry/receive/settle.job.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { readDumpFixture } from './setup/crash-dumps.ts';
import { attachmentsOf, type CrashSender, makeSender, orphansOf, reportsOf } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope as post } from './setup/envelopes.ts';
import { fieldPart, filePart, multipartOf } from './setup/raw.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { unrealArchive } from './setup/unreal.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;

before(async () => {
  server = await startServer({ role: 'start', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

type Sender = CrashSender & TestDsn;

async function start(on = server): Promise<Sender> {
  const sender = await makeSender(on);
  return { ...sender, ...(await makeDsn(on, sender.game)) };
}

function eventOf(id: string, more: object = {}) {
  const exception = [{ type: 'Error', value: 'boom', mechanism: { type: 'x', handled: false } }];
  return { event_id: id, release: 'thegame@9.9.9', exception, ...more };
}

const sendEvent = (sender: Sender, id: string, more: object = {}) =>
  post(sender, envelope({ event_id: id }, [[{ type: 'event' }, JSON.stringify(eventOf(id, more))]]));

describe("a request of one of Sentry's SDKs", () => {
  it('has its key in a header, the query, the path or the envelope', async () => {
    const sender = await start();
    const { projectNo, key, dsn } = sender;
    const at = (path: string) => `${server.url}${path}`;
    const body = () => new Uint8Array(envelope({ dsn }, []));
    const answers = [
      await post(sender, envelope({}, [])),
      await fetch(at(`/api/${projectNo}/envelope?sentry_key=${key}`), { method: 'POST', body: body() }),
      await fetch(at(`/api/${projectNo}/envelope/`), { method: 'POST', body: body() }),
      await fetch(at('/tunnel'), { method: 'POST', body: body() }),
    ];
    for (const answer of answers) assert.deepEqual([answer.status, await answer.json()], [200, {}]);
  });

  it('gets the same answer for a wrong key, another project and a game without any', async () => {
    const [sender, other] = [await start(), await start()];
    const answers = [
      await post({ ...sender, key: '0'.repeat(32) }, envelope({}, [])),
      await post({ ...sender, key: other.key }, envelope({}, [])),
      await post({ ...sender, projectNo: 2_000_000_000 }, envelope({}, [])),
      await post({ ...sender, key: '' }, envelope({ dsn: `http://${'0'.repeat(32)}@x/${sender.projectNo}` }, [])),
    ];
    const texts = new Set<string>();
    for (const answer of answers) {
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.notEqual(answer.headers.get('x-sentry-error'), null);
      texts.add(await answer.text());
    }
    assert.equal(texts.size, 1);
    assert.deepEqual(Object.keys(JSON.parse([...texts][0]!)), ['detail', 'causes']);
    await writeSentryCounts(server.ctx);
    const wrong = await rows(
      server.ctx.db,
      sql<{ key_start: string }>`select key_start from sentry_wrong_keys where game_id = ${sender.game.uid}`,
    );
    assert.deepEqual(wrong.map(({ key_start }) => key_start).sort(), ['00000000', other.key.slice(0, 8)].sort());
  });

  it('can come from a page of any origin', async () => {
    const { projectNo } = await start();
    const answer = await fetch(`${server.url}/api/${projectNo}/envelope/`, { method: 'OPTIONS' });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-allow-headers')!, /x-sentry-auth/);
  });

  it('is asked to stop sending what is not used, once it sent any', async () => {
    const sender = await start();
    assert.equal((await post(sender, envelope({}, []))).headers.get('x-sentry-rate-limits'), null);
    await post(sender, envelope({}, [[{ type: 'span' }, '{}']]));
    const limits = (await post(sender, envelope({}, []))).headers.get('x-sentry-rate-limits')!;
    assert.match(limits, /^3600:.*span.*:key:not_used$/);
    assert.doesNotMatch(limits, /error|session|feedback|attachment/);
  });

  it('waits at the daily limit, and is never answered with a failure', async () => {
    const limited = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_CRASHES: '1' } });
    try {
      const sender = await start(limited);
      assert.equal((await sendEvent(sender, newEventId())).status, 200);
      const refused = await sendEvent(sender, newEventId());
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) >= 60);
      assert.match(refused.headers.get('x-sentry-rate-limits')!, /error/);
      assert.equal(refused.headers.get('access-control-allow-origin'), '*');
      assert.equal((await post(sender, envelope({}, []))).status, 200);
    } finally {
      await limited.stop();
    }
  });

  it('is refused only if nothing of it can be read', async () => {
    const sender = await start();
    const odd = await post(sender, Buffer.from('x'), { headers: { 'content-encoding': 'compress' } });
    assert.equal(odd.status, 400);
    const id = newEventId();
    const whole = gzipSync(envelope({}, [[{ type: 'event' }, JSON.stringify(eventOf(id))]]));
    for (let end = 0; end < whole.length; end += 7)
      assert.ok((await post(sender, whole.subarray(0, end), { headers: { 'content-encoding': 'gzip' } })).status < 500);
    assert.equal((await post(sender, Buffer.from('[[['), { path: 'store/' })).status, 400);
    const old = Buffer.from(deflateSync(JSON.stringify(eventOf(newEventId()))).toString('base64'));
    assert.equal((await post(sender, old, { path: 'store/' })).status, 200);
  });
});

describe('one crash', () => {
  it('is one report if its event, attachments and dump come apart', async () => {
    const sender = await start();
    const id = newEventId();
    const early = envelope({ event_id: id }, [[{ type: 'attachment', filename: 'early.txt' }, 'early']]);
    assert.equal((await post(sender, early)).status, 200);
    const dump = readDumpFixture('nosym_middle');
    const minidump = { type: 'attachment', filename: 'a.dmp', attachment_type: 'event.minidump' };
    await post(sender, envelope({ event_id: id }, [[minidump, dump]]));
    const [first] = await reportsOf(sender);
    assert.equal(first?.message, '');
    await until(async () => (await reportsOf(sender))[0]?.state === 'processed');
    await sendEvent(sender, id);
    await post(sender, envelope({ event_id: id }, [[{ type: 'attachment', filename: 'late.txt' }, 'late']]));
    await settleParts(server.ctx);
    const [report, ...others] = await reportsOf(sender);
    assert.deepEqual(others, []);
    assert.equal(report!.message, 'Error: boom');
    const names = async () => (await attachmentsOf(sender)).map(({ name }) => name).sort();
    assert.deepEqual(await names(), ['early.txt', 'late.txt']);
    await until(async () => (await reportsOf(sender))[0]?.state === 'processed');
    // Sent again.
    await sendEvent(sender, id);
    await post(sender, envelope({ event_id: id }, [[{ type: 'attachment', filename: 'late.txt' }, 'late']]));
    assert.deepEqual(await names(), ['early.txt', 'late.txt']);
    assert.equal((await reportsOf(sender)).length, 1);
  });

  it('gets what came early even if the file of another crash is gone', async () => {
    const sender = await start();
    const [lost, kept] = [newEventId(), newEventId()];
    for (const id of [lost, kept])
      await post(sender, envelope({ event_id: id }, [[{ type: 'attachment', filename: 'early.txt' }, 'early']]));
    const parts = await listParts(server.ctx.db, sender.game.uid);
    for (const { event_id: id, attachments } of parts)
      if (id === lost) await server.ctx.blobs.delete(attachments[0]!.key);
    await sendEvent(sender, lost);
    await sendEvent(sender, kept);
    await settleParts(server.ctx);
    const files = await rows(
      server.ctx.db,
      sql<{ count: number }>`select jsonb_array_length(attachments) as count from crash_reports
        where game_id = ${sender.game.uid}`,
    );
    assert.deepEqual(files.map(({ count }) => count).sort(), [0, 1]);
    assert.deepEqual(await listParts(server.ctx.db, sender.game.uid), []);
  });

  it('is kept with its stack if its dump is none', async () => {
    const sender = await start();
    const body = multipartOf([
      fieldPart('sentry', JSON.stringify(eventOf(newEventId()))),
      filePart(Buffer.from('DEADBEEF'), { name: 'upload_file_minidump', filename: 'x.dmp' }),
    ]);
    const guid = randomUUID();
    const headers = { 'content-type': 'multipart/form-data; boundary=B', 'content-encoding': 'gzip' };
    const answer = await post(sender, gzipSync(body), { path: `minidump/?guid=${guid}`, headers });
    assert.deepEqual([answer.status, await answer.text()], [200, guid]);
    const [report] = await reportsOf(sender);
    assert.deepEqual([report!.message, report!.dump_key], ['Error: boom', null]);
    assert.equal((await attachmentsOf(sender))[0]?.name, 'x.dmp');
  });

  it("comes from Unreal's CrashReportClient with the key in the path", async () => {
    const sender = await start();
    const files = [{ name: 'UEMinidump.dmp', content: readDumpFixture('nosym_middle') }];
    const url = `${server.url}/api/${sender.projectNo}/unreal/${sender.key}/`;
    const body = new Uint8Array(deflateSync(unrealArchive(files, { marked: true })));
    assert.equal((await fetch(url, { method: 'POST', body })).status, 200);
    assert.notEqual((await reportsOf(sender))[0]!.dump_key, null);
  });

  it('waits under its release until the version is registered', async () => {
    const sender = await start();
    await sendEvent(sender, newEventId());
    await sendEvent(sender, newEventId(), { exception: [{ type: 'Other', value: 'two' }] });
    await until(async () => (await groupedOf(sender)) === 2);
    const before = await countedOf(sender);
    assert.deepEqual(before.groups, [1, 1]);
    const buildId = await register(server, sender.game, { version: '9.9.9' });
    await assignReleases(server.ctx);
    const reports = await rows(
      server.ctx.db,
      sql<{ build_id: string }>`select build_id from crash_reports where game_id = ${sender.game.uid}`,
    );
    assert.deepEqual(
      reports.map(({ build_id }) => build_id),
      [buildId, buildId],
    );
    const after = await countedOf(sender);
    assert.deepEqual({ ...after, builds: [] }, { ...before, builds: [] });
    assert.deepEqual(after.builds, [buildId]);
    await assignReleases(server.ctx);
    assert.deepEqual(await countedOf(sender), after);
  });

  async function groupedOf({ game }: Sender): Promise<number> {
    const found = await rows(
      server.ctx.db,
      sql`select from crash_reports where game_id = ${game.uid} and group_id is not null`,
    );
    return found.length;
  }

  async function countedOf({ game }: Sender) {
    const counts = await rows(
      server.ctx.db,
      sql<{
        build_id: string;
        count: number;
      }>`select build_id, count from crash_group_counts where game_id = ${game.uid}`,
    );
    const totals = await onlyRow(
      server.ctx.db,
      sql<{ reports: number }>`select coalesce(sum(reports), 0)::integer as reports from crash_totals
        where game_id = ${game.uid} and scope_id = ${game.uid}`,
    );
    return {
      groups: counts.map(({ count }) => count).sort(),
      builds: [...new Set(counts.map(({ build_id }) => build_id))],
      totals: totals.reports,
    };
  }
});
