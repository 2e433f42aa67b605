// The processing of crash dumps on a real server: with symbols that exist, arrive later, or never arrive.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { Report } from '@chauffeur/minidump/report';
import { sql } from 'kysely';
import { writeAmd64Context } from '../../minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import type { Context } from '../src/context.ts';
import { dropOldCrashes } from '../src/crash/crashes/keep/retention.job.ts';
import { processCrash } from '../src/crash/crashes/process/process.job.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed, rows, transact } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import {
  findMiscount,
  groupsOf,
  readDumpFixture,
  readSymbolFixture,
  reportCrash,
  reportRow,
  type StoredReport,
  untilDone,
} from './setup/crash-dumps.ts';
import { isLockAwaited } from './setup/lock-waits.ts';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { addSymbols, compileNow, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DUMP = readDumpFixture('null_deref_inline');
const SYMBOLS = readSymbolFixture('null_deref_inline');
const MODULE = 'null_deref_inline/8EB9ED96B569A6A04D6CB5C57A4568B80';
const FIRST = { number: 1, last: false, signal: new AbortController().signal };

/** A new game for each test, so its groups are those of the test. */
async function openGame(server: TestServer): Promise<{ game: TestGame; buildId: string }> {
  const game = await makeGame(server);
  return { game, buildId: await register(server, game) };
}

async function readStack({ ctx }: TestServer, { stack_key }: StoredReport): Promise<Report> {
  return JSON.parse(zstdDecompressSync(await buffer(await ctx.blobs.read(stack_key ?? ''))).toString());
}

async function keysOf({ ctx }: TestServer, reportId: string): Promise<string[]> {
  const keys = await Array.fromAsync(ctx.blobs.list('crashes/'), ({ key }) => key);
  return keys.filter((key) => key.includes(reportId));
}

function untilSymbols(server: TestServer, reportId: string): Promise<StoredReport> {
  return until(async () => {
    const report = await reportRow(server, reportId);
    return !report.missing_symbols.includes(MODULE) && report;
  });
}

describe('processing a crash', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  test('names functions by the symbols of the build, and groups by them', async () => {
    const { game, buildId } = await openGame(server);
    await addSymbols(server, game, buildId, SYMBOLS);
    await untilCompiled(server, game, buildId);
    const report = await untilDone(server, await reportCrash(server, game, buildId, { dump: DUMP }));
    assert.deepEqual(
      [report.state, report.reason, report.signature, report.crash_address, report.failure],
      ['processed', 'SIGSEGV / SEGV_MAPERR', 'render::measure', '0x14', null],
    );
    assert.deepEqual(report.frames[0], {
      function: 'render::measure',
      module: 'null_deref_inline',
      file: 'game/crashers/null_deref_inline.cc',
      line: 8,
      offset: '0x2ce8',
      trust: 'context',
      inlined: true,
    });
    assert.ok(report.functions.includes('render::PaintLevel3(render::Layout&, int)'));
    assert.ok(!report.missing_symbols.includes(MODULE));
    const [group, ...others] = await groupsOf(server, game);
    assert.deepEqual([group?.title, group?.kind, group?.count, others], ['render::measure', 'stack', 1, []]);
    assert.equal(group?.sample_report_id, report.report_id);
    assert.ok(group?.explanation.some((line) => line.startsWith('stack: ')));
  });

  test("uses annotations of the dump as message and metadata, but what the client sent first, and without players' names", async () => {
    const { game, buildId } = await openGame(server);
    const context = writeAmd64Context({ rip: 0x7f00_1010n, rsp: 0x7000_0000n });
    const dump = Buffer.from(
      writeDump({
        system: { processorArchitecture: 9, platformId: 0x8201, cpuCount: 1 },
        threads: [{ id: 1, context, stack: { start: 0x7000_0000n, bytes: new Uint8Array(64) } }],
        exception: { threadId: 1, code: 6, context },
        modules: [
          { name: '/opt/game', base: 0x40_0000n, size: 0x1000 },
          { name: '/usr/lib/libc.so.6', base: 0x7f00_0000n, size: 0x1_0000 },
        ],
        crashpad: {
          simpleAnnotations: {
            prod: 'Game',
            LOG_FATAL: '[1:2:1126/133441.12:FATAL:slot.cc(42)] Check failed: slot < 7 in /home/ann/a.sav',
          },
          modules: [
            {
              moduleIndex: 0,
              annotationObjects: [
                { name: 'scene', type: 1, value: 'menu' },
                { name: 'level', type: 1, value: '7' },
              ],
            },
          ],
        },
      }),
    );
    const noted = await untilDone(server, await reportCrash(server, game, buildId, { dump, metadata: { level: '1' } }));
    const read = (reportId: string) =>
      rows(
        server.ctx.db,
        sql<{
          message: string;
          metadata: object;
          found: boolean;
        }>`select message, metadata, words @@ crash_query('slot') as found
        from crash_reports where report_id = ${reportId}`,
      );
    const message = 'Check failed: slot < 7 in /home/<user>/a.sav';
    const [first] = await read(noted.report_id);
    assert.equal(first?.message, message);
    assert.deepEqual(first?.metadata, {
      level: '1',
      scene: 'menu',
      LOG_FATAL: `[1:2:1126/133441.12:FATAL:slot.cc(42)] ${message}`,
    });
    assert.equal(first?.found, true);
    // Nothing but the abort is on the stack.
    assert.equal(noted.signature, 'Check failed: slot < <n> in a.sav');
    const sent = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump, message: 'The game said so' }),
    );
    assert.equal((await read(sent.report_id))[0]?.message, 'The game said so');
    await processCrash(server.ctx, { gameId: game.uid, reportId: noted.report_id }, FIRST);
    assert.deepEqual(await read(noted.report_id), [first]);
  });

  test('stores the report without folders of build machines', async () => {
    const { game, buildId } = await openGame(server);
    await addSymbols(server, game, buildId, SYMBOLS);
    await untilCompiled(server, game, buildId);
    const report = await untilDone(server, await reportCrash(server, game, buildId, { dump: DUMP }));
    const stack = await readStack(server, report);
    const files = stack.threads.flatMap(({ frames }) => frames.flatMap(({ file }) => file ?? []));
    assert.ok(files.length > 0 && files.every((file) => !file.startsWith('/')), files.join('\n'));
    assert.equal(stack.signature.signature, report.signature);
  });

  test('moves a report to another group when its symbols arrive later', async () => {
    const { game, buildId } = await openGame(server);
    const before = await untilDone(server, await reportCrash(server, game, buildId, { dump: DUMP }));
    assert.ok(before.missing_symbols.includes(MODULE));
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      [['null_deref_inline+0x2ce8', 1]],
    );
    await addSymbols(server, game, buildId, SYMBOLS);
    const after = await untilSymbols(server, before.report_id);
    assert.equal(after.signature, 'render::measure');
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      [['render::measure', 1]],
    );
    assert.equal(await findMiscount(server, game.uid), undefined);
    // The previous stack is deleted once the report has the new one.
    await until(async () => (await keysOf(server, before.report_id)).length === 2);
  });

  test('finds symbols that arrive during the walk', async () => {
    const { game, buildId } = await openGame(server);
    const reportId = await reportCrash(server, game, buildId, { dump: DUMP });
    await addSymbols(server, game, buildId, SYMBOLS);
    await untilDone(server, reportId);
    assert.equal((await untilSymbols(server, reportId)).signature, 'render::measure');
  });

  test('has the same result when repeated, and when run twice at once', async () => {
    const { game, buildId } = await openGame(server);
    const reportId = await reportCrash(server, game, buildId, { dump: DUMP });
    const payload = { gameId: game.uid, reportId };
    await Promise.all([processCrash(server.ctx, payload, FIRST), processCrash(server.ctx, payload, FIRST)]);
    await processCrash(server.ctx, payload, FIRST);
    assert.equal((await untilDone(server, reportId)).state, 'processed');
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ count }) => count),
      [1],
    );
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('fails visibly if the file is not a dump, and groups the report by its message', async () => {
    const { game, buildId } = await openGame(server);
    const dump = Buffer.from('this is not a dump');
    const message = 'Assertion failed: index 7 of 3';
    const report = await untilDone(server, await reportCrash(server, game, buildId, { dump, message }));
    assert.equal(report.state, 'failed');
    assert.match(report.failure ?? '', /^The dump cannot be read: /);
    assert.deepEqual([report.signature, report.reason, report.stack_key], [null, null, null]);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ kind, title, count }) => [kind, title, count]),
      [['message', 'Assertion failed: index <n> of <n>', 1]],
    );
  });

  test('reports a missing dump', async () => {
    const { game, buildId } = await openGame(server);
    const first = await untilDone(server, await reportCrash(server, game, buildId, { dump: Buffer.from('no dump') }));
    for (const key of await keysOf(server, first.report_id)) await server.ctx.blobs.delete(key);
    await processCrash(server.ctx, { gameId: game.uid, reportId: first.report_id }, FIRST);
    assert.equal((await reportRow(server, first.report_id)).failure, 'The stored dump is gone.');
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('keeps the result of an earlier walk if a later one fails', async () => {
    const { game, buildId } = await openGame(server);
    const before = await untilDone(server, await reportCrash(server, game, buildId, { dump: DUMP }));
    for (const key of await keysOf(server, before.report_id))
      if (key.endsWith('.dmp.zst')) await server.ctx.blobs.delete(key);
    await processCrash(server.ctx, { gameId: game.uid, reportId: before.report_id }, FIRST);
    assert.deepEqual(await reportRow(server, before.report_id), before);
  });

  test('leaves nothing behind if the report is deleted during the walk', async () => {
    const { game, buildId } = await openGame(server);
    const { report_id: reportId } = await untilDone(server, await reportCrash(server, game, buildId, { dump: DUMP }));
    const before = await keysOf(server, reportId);
    const { db } = server.ctx;
    const { processing } = await transact(db, async (tx) => {
      // Holds the walk up where it asks for symbols. Otherwise it could end first.
      await changed(tx, sql`lock table symbols in access exclusive mode`);
      const processing = processCrash(server.ctx, { gameId: game.uid, reportId }, FIRST);
      await until(() => isLockAwaited(db));
      await changed(tx, sql`delete from crash_reports where report_id = ${reportId}`);
      return { processing };
    });
    await processing;
    assert.deepEqual(await keysOf(server, reportId), before);
  });

  test('ignores a report that does not exist', async () => {
    const { game } = await openGame(server);
    await processCrash(server.ctx, { gameId: game.uid, reportId: newId() }, FIRST);
    assert.deepEqual(await groupsOf(server, game), []);
  });

  test('groups a report without a dump by message, version and OS', async () => {
    const { game, buildId } = await openGame(server);
    for (const message of [
      'Out of space: 12 MB left on /home/ann/saves',
      'Out of space: 9 MB left on /home/bob/saves',
    ]) {
      assert.equal((await untilDone(server, await reportCrash(server, game, buildId, { message }))).state, 'processed');
    }
    await untilDone(server, await reportCrash(server, game, buildId, { message: 'Out of space', app_version: '2.0' }));
    await untilDone(server, await reportCrash(server, game, buildId, { message: 'Out of space', os: 'windows' }));
    assert.deepEqual((await groupsOf(server, game)).map(({ title, count }) => [title, count]).sort(), [
      ['Out of space', 1],
      ['Out of space', 1],
      ['Out of space: <n> MB left on /home/<user>/saves', 2],
    ]);
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('counts walks by outcome', async () => {
    const text = await server.ctx.metrics.read();
    const counted = [...text.matchAll(/chauffeur_crash_walks_total\{outcome="(\w+)"\} [1-9]/g)].map(
      ([, outcome]) => outcome,
    );
    assert.deepEqual(counted.sort(), ['missing', 'unreadable', 'walked']);
  });
});

describe('processing a crash with blobs on S3', () => {
  let s3: S3Server | null;
  let server: TestServer;
  before(async () => {
    s3 = await startS3();
    if (s3 === null) return;
    Object.assign(process.env, s3.env);
    server = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
  });
  after(async () => {
    await server?.stop();
    await s3?.stop();
  });

  test('reads dump and symbols and stores the stack there', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const { game, buildId } = await openGame(server);
    const reportId = await reportCrash(server, game, buildId, { dump: DUMP });
    await untilDone(server, reportId);
    await addSymbols(server, game, buildId, SYMBOLS);
    const report = await untilSymbols(server, reportId);
    assert.equal((await readStack(server, report)).signature.signature, 'render::measure');
  });
});

describe('names of functions for the search', () => {
  let server: TestServer;
  before(async () => {
    // There is no worker, so the test decides when and where a dump is processed.
    server = await startServer({ role: 'api' });
  });
  after(() => server.stop());

  test('are written again by any process after they were deleted', async () => {
    const { game, buildId } = await openGame(server);
    const [symbols] = await addSymbols(server, game, buildId, SYMBOLS);
    await compileNow(server, game, symbols!.checksum);
    let now = Date.now();
    const clock = { now: () => new Date(now) };
    const [one, other] = [
      { ...server.ctx, clock },
      { ...server.ctx, clock },
    ];
    const crashIn = async (ctx: Context) => {
      const reportId = await reportCrash(server, game, buildId, { dump: DUMP });
      await processCrash(ctx, { gameId: game.uid, reportId }, FIRST);
      return new Set((await reportRow(server, reportId)).functions);
    };
    const kept = async () => {
      const stored = await rows(
        server.ctx.db,
        sql<{ function: string }>`select function from crash_functions where game_id = ${game.uid}`,
      );
      return new Set(stored.map(({ function: name }) => name));
    };
    const functions = await crashIn(one);
    assert.ok(functions.size > 0);
    await crashIn(other);
    assert.deepEqual(await kept(), functions);
    now += 200 * DAY;
    await dropOldCrashes(other);
    assert.deepEqual(await kept(), new Set());
    for (const ctx of [one, other]) {
      await crashIn(ctx);
      assert.deepEqual(await kept(), functions);
      await changed(server.ctx.db, sql`delete from crash_functions where game_id = ${game.uid}`);
    }
  });
});
