// The worker and a database that becomes unavailable: no job is lost, and none keeps the worker from stopping.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Database, onlyRow, openDatabase, rows } from '../src/kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../src/kernel/jobs/jobs.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { startWorker, type Worker } from '../src/worker/run.ts';
import { type Outage, outageOf } from './setup/outage.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

const PROBE = defineJob<{ name: string }>('probe', { attempts: 10 });

describe('a worker', () => {
  let server: TestServer;
  let database: Database;
  let outage: Outage;
  let logged: string;
  beforeEach(async () => {
    logged = '';
    const log = createLog('warn', {
      write(line) {
        logged += line;
      },
    });
    server = await startServer({ role: 'api', log });
    database = openDatabase(server.database.url, { connections: 4, log: server.ctx.log, name: 'worker' });
    outage = outageOf(server.database);
  });
  afterEach(async () => {
    await outage.end();
    await database.close();
    await server.stop();
  });

  /** A worker whose only kind of job runs `work`. */
  function startProbe(work: (run: number) => Promise<void>, { ctx } = server): Promise<Worker> {
    let runs = 0;
    return startWorker(ctx, database.pool, [bindJob(PROBE, () => work(++runs))]);
  }

  async function untilLogged(text: string): Promise<void> {
    await until(async () => {
      await setImmediate();
      return logged.includes(text);
    });
  }

  async function jobsLeft({ ctx } = server): Promise<number> {
    const { count } = await onlyRow(
      ctx.db,
      sql<{ count: number }>`select count(*) from graphile_worker.jobs where task_identifier = ${PROBE.task}`,
    );
    return count;
  }

  test('runs a job again in the same process if the database did not record its end', async () => {
    const again = Promise.withResolvers<void>();
    const worker = await startProbe(async (run) => {
      if (run === 1) await outage.begin();
      else again.resolve();
    });
    await addJob(server.ctx.db, PROBE, { name: 'heard late' });
    await untilLogged('the end of a job could not be recorded');
    await outage.end();
    await again.promise;
    await worker.stop();
    assert.equal(await jobsLeft(), 0);
  });

  test('runs jobs again if the ends of several could not be recorded while another was still running', async () => {
    const names = ['first', 'second', 'third', 'last'];
    const ends = names.map(() => Promise.withResolvers<void>());
    const allStarted = Promise.withResolvers<void>();
    let runs = 0;
    const worker = await startProbe(async (run) => {
      runs = run;
      if (run === ends.length) allStarted.resolve();
      await ends[run - 1]?.promise;
    });
    for (const name of names) await addJob(server.ctx.db, PROBE, { name });
    await allStarted.promise;
    await outage.begin();
    for (const { resolve } of ends.slice(0, -1)) {
      logged = '';
      resolve();
      await untilLogged('could not be recorded');
    }
    ends.at(-1)?.resolve();
    await outage.end();
    await until(async () => (await jobsLeft()) === 0);
    await worker.stop();
    assert.ok(runs > ends.length, `${runs} runs`);
  });

  test('leaves such a job to the next worker if it stops first', async () => {
    const begun = Promise.withResolvers<void>();
    const worker = await startProbe(async () => {
      await outage.begin();
      begun.resolve();
    });
    await addJob(server.ctx.db, PROBE, { name: 'handed on' });
    await begun.promise;
    await worker.stop();
    await server.app.close();
    await outage.end();
    const next = await startServer({ role: 'api', shareWith: server });
    const again = Promise.withResolvers<void>();
    const nextWorker = await startProbe(async () => again.resolve(), next);
    await again.promise;
    await nextWorker.stop();
    assert.equal(await jobsLeft(next), 0);
    await next.stop();
  });

  test('runs jobs after the queue could not read its tasks', async () => {
    const { db } = server.ctx;
    await rows(
      db,
      sql`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'sorry, too many clients already' using errcode = '53300'; end $$`,
    );
    await rows(
      db,
      sql`create trigger refuse before insert on graphile_worker._private_tasks execute function refuse()`,
    );
    const done = Promise.withResolvers<void>();
    const worker = await startProbe(async () => done.resolve());
    await untilLogged('the job queue could not read its tasks');
    await rows(db, sql`drop trigger refuse on graphile_worker._private_tasks`);
    await addJob(db, PROBE, { name: 'after the refusal' });
    await done.promise;
    await worker.stop();
    assert.equal(await jobsLeft(), 0);
  });

  test('stops when its running job has ended and is recorded', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const worker = await startProbe(async () => {
      begun.resolve();
      await end.promise;
    });
    await addJob(server.ctx.db, PROBE, { name: 'under way' });
    await begun.promise;
    const stopped = worker.stop();
    end.resolve();
    await stopped;
    assert.equal(await jobsLeft(), 0);
  });

  test('stops while the database is unavailable', async () => {
    const worker = await startProbe(async () => undefined);
    await outage.begin();
    await assert.doesNotReject(worker.stop());
  });

  test('stops while it is retrying the connection to the queue', async () => {
    const worker = await startProbe(() => outage.begin());
    await addJob(server.ctx.db, PROBE, { name: 'broken off' });
    await untilLogged('the job queue could not be restarted');
    await assert.doesNotReject(worker.stop());
  });

  const tick = defineJob<object>('tick', { attempts: 3, cron: '* * * * *' });

  /** Starts a worker whose only job is due every minute, 1.5 seconds before the next one. Returns a count of its runs. */
  async function startTicking(): Promise<{ worker: Worker; runs: () => number }> {
    const minute = Math.ceil(Date.now() / 60_000) * 60_000;
    mock.timers.enable({ apis: ['Date'], now: minute - 1500 });
    let runs = 0;
    const worker = await startWorker(server.ctx, database.pool, [
      bindJob(tick, async () => {
        runs += 1;
      }),
    ]);
    return { worker, runs: () => runs };
  }

  for (const [direction, days] of [
    ['ahead', 30],
    ['back', -30],
  ] as const) {
    test(`restarts the schedule when the clock jumps ${direction}, and makes up for no minute`, async () => {
      const { worker, runs } = await startTicking();
      try {
        const jumped = Math.ceil((Date.now() + days * 86_400_000) / 60_000) * 60_000 - 1500;
        mock.timers.setTime(jumped);
        await untilLogged('the clock has jumped');
        // From now on, the next minute begins in 1.5 seconds.
        await until(async () => {
          await setImmediate();
          mock.timers.setTime(Math.max(Date.now(), jumped + 1500 + 60_000 * Number(runs() > 0)));
          return runs() > 0;
        });
        assert.ok(runs() < 4, `${runs()} runs`);
      } finally {
        mock.timers.reset();
        await worker.stop();
      }
    });
  }

  test('runs at once what was scheduled while the clock was ahead', async () => {
    const ran = Promise.withResolvers<void>();
    const worker = await startProbe(async () => ran.resolve());
    await worker.stop();
    await addJob(server.ctx.db, PROBE, { name: 'later' });
    await rows(server.ctx.db, sql`update graphile_worker._private_jobs set run_at = now() + interval '1 year'`);
    await rows(
      server.ctx.db,
      sql`insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
        values ('other', now(), now() + interval '1 year')`,
    );
    const again = await startProbe(async () => ran.resolve());
    await ran.promise;
    await again.stop();
    const { ahead } = await onlyRow(
      server.ctx.db,
      sql<{ ahead: number }>`select count(*) as ahead from graphile_worker._private_known_crontabs
        where last_execution > now() + interval '1 hour'`,
    );
    assert.equal(ahead, 0);
  });
});
