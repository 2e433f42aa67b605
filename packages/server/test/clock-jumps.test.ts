// A clock that was a year ahead for a while: nothing young is deleted for its age meanwhile, and nothing from then counts
// as a year younger afterwards.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { JOBS } from '../src/features.ts';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, type Database, openDatabase, rows } from '../src/kernel/database/db.ts';
import { bindJob } from '../src/kernel/jobs/binding.ts';
import { addJob, defineJob } from '../src/kernel/jobs/jobs.ts';
import { findClockProblem } from '../src/kernel/jobs/steady-clock.ts';
import { startWorker } from '../src/worker/run.ts';
import { startServer, type TestServer, until } from './setup/server.ts';

const YEAR = 365 * DAY;

let server: TestServer;
let database: Database;
before(async () => {
  server = await startServer({ role: 'api' });
  database = openDatabase(server.database.url, { connections: 4, log: server.ctx.log, name: 'worker' });
});
after(async () => {
  await database.close();
  await server.stop();
});

/** Sets when the clock was read for the last time, and since when it was steady then, in milliseconds from now. */
async function setClockState(readAt: number, steadySince: number): Promise<void> {
  const at = (ms: number) => sql`now() + ${ms}::float8 * interval '1 millisecond'`;
  await changed(server.ctx.db, sql`delete from clock_state`);
  await changed(
    server.ctx.db,
    sql`insert into clock_state (read_at, steady_since) values (${at(readAt)}, ${at(steadySince)})`,
  );
}

const findProblem = () => findClockProblem(server.ctx.db, server.ctx.clock);

describe('a clock', () => {
  beforeEach(() => changed(server.ctx.db, sql`delete from clock_state`));

  test('is trusted after it was steady for a day', async () => {
    assert.equal(await findProblem(), 'jumped');
    await setClockState(-5 * MINUTE, -DAY + MINUTE);
    assert.equal(await findProblem(), 'jumped');
    await setClockState(-HOUR, -DAY - MINUTE);
    assert.deepEqual([await findProblem(), await findProblem()], [null, null]);
  });

  test('is not trusted for a day after it has jumped ahead, or back', async () => {
    for (const jump of [YEAR, 2 * DAY, -2 * DAY, -YEAR]) {
      await setClockState(-jump, -jump - 30 * DAY);
      assert.deepEqual([await findProblem(), await findProblem()], ['jumped', 'jumped'], `${jump / DAY} days`);
    }
    await setClockState(-HOUR, -DAY - MINUTE);
    assert.equal(await findProblem(), null);
  });

  test('is not trusted while it differs from the clock of the database', async () => {
    for (const difference of [2 * HOUR, -2 * HOUR]) {
      await setClockState(-HOUR, -30 * DAY);
      const clock = { now: () => new Date(Date.now() + difference) };
      assert.equal(await findClockProblem(server.ctx.db, clock), 'differs');
    }
  });
});

test('jobs that delete what is old are left out while the clock is not trusted, and others are not', async () => {
  const deletion = defineJob<object>('probe:delete', 3);
  const other = defineJob<object>('probe:other', 3);
  const ran: string[] = [];
  const probe = (name: string) => async () => {
    ran.push(name);
  };
  const worker = await startWorker(server.ctx, database.pool, [
    bindJob(deletion, probe('deletion'), { deletesOld: true }),
    bindJob(other, probe('other')),
  ]);
  const runBoth = async () => {
    for (const kind of [deletion, other]) await addJob(server.ctx.db, kind, {});
    await until(async () => (await rows(server.ctx.db, sql`select from graphile_worker.jobs`)).length === 0);
    return ran.splice(0).toSorted();
  };
  try {
    await setClockState(-YEAR, -YEAR - 30 * DAY);
    assert.deepEqual(await runBoth(), ['other']);
    await setClockState(-HOUR, -30 * DAY);
    assert.deepEqual(await runBoth(), ['deletion', 'other']);
  } finally {
    await worker.stop();
  }
});

test('every job on a schedule that deletes what is old is left out then', () => {
  const deleting = /expire|forget|retention|sweep|drop-(counters|mail-counts)/;
  const scheduled = JOBS.filter(({ cron, kind }) => cron !== undefined && deleting.test(kind.task));
  assert.ok(scheduled.length > 15);
  assert.deepEqual(
    scheduled.filter(({ deletesOld }) => !deletesOld).map(({ kind }) => kind.task),
    [],
  );
});
