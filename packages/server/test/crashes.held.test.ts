// Dumps that the process that received them processes itself, without a job in the queue, and what becomes of them if
// it can't.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { finishReports } from '../src/crash/crashes/process/messages.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { changed, onlyRow, openDatabase, row } from '../src/kernel/database/db.ts';
import { joinPresence } from '../src/kernel/processes/presence.ts';
import { JOBS } from '../src/registry.ts';
import { type HeldJob, holdJobs } from '../src/request/held-jobs.ts';
import { startWorker } from '../src/worker/run.ts';
import { readDumpFixture, reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { countJobs, idHeaders, makeSender } from './setup/crashes.ts';
import { filePart, multipartOf } from './setup/raw.ts';
import { makeGame, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DUMP = readDumpFixture('null_deref_inline');
const TASK = 'crashes:process';

async function holderOf({ ctx }: Pick<TestServer, 'ctx'>, reportId: string): Promise<number | null> {
  const found = await row(
    ctx.db,
    sql<{ held_by: number | null }>`select held_by from crash_reports where report_id = ${reportId}`,
  );
  return found?.held_by ?? null;
}

describe('a process that receives dumps and runs jobs', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    // Enqueuing the job fails.
    await changed(
      server.ctx.db,
      sql`create function refuse_jobs() returns trigger language plpgsql as $$ begin
        if new.task_id = (select id from graphile_worker._private_tasks where identifier = 'crashes:process')
        then raise 'a job was enqueued'; end if; return new; end $$`,
    );
    await changed(
      server.ctx.db,
      sql`create trigger refuse_jobs before insert on graphile_worker._private_jobs for each row execute function refuse_jobs()`,
    );
  });
  after(() => server.stop());

  test('processes a dump that was uploaded without a job in the queue', async () => {
    const game = await makeGame(server);
    const reportId = await reportCrash(server, game, await register(server, game), { dump: DUMP });
    const { processNo } = server.ctx.presence.current();
    assert.equal(await holderOf(server, reportId), processNo);
    assert.equal((await untilDone(server, reportId)).state, 'processed');
  });

  test('processes a dump that came with its report without a job in the queue', async () => {
    const { game, buildId } = await makeSender(server);
    const form = multipartOf([filePart(DUMP, { name: 'upload_file_minidump', filename: 'a.dmp' })]);
    const response = await fetch(`${server.api}/public/crashes`, {
      method: 'POST',
      headers: { ...idHeaders({ server, game, buildId }), 'content-type': 'multipart/form-data; boundary=B' },
      body: form as Uint8Array<ArrayBuffer>,
    });
    assert.equal(response.status, 200, await response.text());
    const { report_id: id } = await onlyRow(
      server.ctx.db,
      sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${game.uid}`,
    );
    assert.equal((await untilDone(server, id)).state, 'processed');
  });
});

describe('a dump that a process holds', () => {
  let server: TestServer;
  let held: HeldJob[];
  let now = Date.now();
  before(async () => {
    server = await startServer({ role: 'api', clock: { now: () => new Date(now) } });
  });
  after(() => server.stop());
  let stopHolding: (() => Promise<void>) | undefined;
  /** Holds jobs, one at a time, with `run`. */
  function hold(run: () => Promise<void>): void {
    held = [];
    stopHolding = holdJobs(server.ctx, 1, async (job) => {
      held.push(job);
      await run();
    });
  }
  afterEach(async () => {
    await stopHolding?.();
    stopHolding = undefined;
  });

  async function reportOne(): Promise<string> {
    const game = await makeGame(server);
    return reportCrash(server, game, await register(server, game), { dump: DUMP });
  }

  /** Runs the jobs of the database in a separate process until `work` resolves. */
  async function withWorker(work: () => Promise<unknown>): Promise<void> {
    const { url } = server.database;
    const database = openDatabase(url, { connections: 8, log: server.ctx.log, name: 'other' });
    const presence = await joinPresence(url, 'worker', server.ctx.log);
    const ctx = { ...server.ctx, db: database.db, pool: database.pool, presence };
    const worker = await startWorker(ctx, database.pool, JOBS);
    try {
      await work();
    } finally {
      await worker.stop();
      await presence.leave();
      await database.close();
    }
  }

  test('is enqueued if processing it fails, with the game and the report', async () => {
    hold(() => Promise.reject(new Error('the storage is away')));
    const reportId = await reportOne();
    await until(async () => (await countJobs({ server }, TASK, reportId)) === 1);
    assert.deepEqual(
      held.map(({ kind, payload }) => [kind.task, (payload as { reportId: string }).reportId]),
      [[TASK, reportId]],
    );
  });

  test('is enqueued if it still waits when the process stops, and the process waits for the dump that is running', async () => {
    const running = Promise.withResolvers<void>();
    hold(() => running.promise);
    const [first, second] = [await reportOne(), await reportOne()];
    assert.equal(held.length, 1);
    let isStopped = false;
    const stopped = stopHolding!().then(() => {
      isStopped = true;
    });
    await until(async () => (await countJobs({ server }, TASK, second)) === 1);
    assert.deepEqual([await countJobs({ server }, TASK, first), isStopped], [0, false]);
    running.resolve();
    await stopped;
    // Later ones are enqueued as in a process that runs no jobs.
    assert.equal(await countJobs({ server }, TASK, await reportOne()), 1);
  });

  test('is enqueued if the process holds enough of them already', async () => {
    const running = Promise.withResolvers<void>();
    hold(() => running.promise);
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const ids: string[] = [];
    for (let no = 0; no < 130; no += 1) ids.push(await reportCrash(server, game, buildId, { dump: DUMP }));
    const jobs = await Promise.all(ids.map((id) => countJobs({ server }, TASK, id)));
    assert.deepEqual(
      [jobs.slice(0, 128).some((count) => count > 0), jobs.slice(128)],
      [false, [1, 1]],
      'the first 128 are held',
    );
    running.resolve();
  });

  test('is processed by another process if this one dies', async () => {
    const dead = await joinPresence(server.database.url, 'start', server.ctx.log);
    hold(() => Promise.resolve());
    const reportId = await reportOne();
    const { processNo } = dead.current();
    await changed(server.ctx.db, sql`update crash_reports set held_by = ${processNo} where report_id = ${reportId}`);
    await dead.leave();
    await withWorker(async () => assert.equal((await untilDone(server, reportId)).state, 'processed'));
    assert.equal(await holderOf(server, reportId), null);
  });

  test('is processed within two hours if everybody forgot about the process', async () => {
    hold(() => Promise.resolve());
    const [forgotten, alive] = [await reportOne(), await reportOne()];
    await changed(server.ctx.db, sql`update crash_reports set held_by = 1000000 where report_id = ${forgotten}`);
    await finishReports(server.ctx);
    assert.equal(await countJobs({ server }, TASK, forgotten), 0, 'it may be processed now');
    now += 2 * HOUR;
    await finishReports(server.ctx);
    await finishReports(server.ctx);
    assert.deepEqual([await countJobs({ server }, TASK, forgotten), await holderOf(server, forgotten)], [1, null]);
    assert.notEqual(await holderOf(server, alive), null);
    assert.equal((await reportRow(server, forgotten)).state, 'queued');
  });
});
