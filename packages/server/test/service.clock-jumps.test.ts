// A clock that was a year ahead for a while: nothing young is deleted for its age meanwhile, and nothing from then counts
// as a year younger afterwards.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { makeDownloadToken, openDownloadToken } from '../src/crash/crashes/read/downloads.ts';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, type Database, onlyRow, openDatabase, rows } from '../src/kernel/database/db.ts';
import { addJob, defineJob } from '../src/kernel/jobs/jobs.ts';
import { findClockProblem } from '../src/kernel/jobs/steady-clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { correctFutureTimes, TIMES } from '../src/operate/operator/future-times.job.ts';
import { JOBS } from '../src/registry.ts';
import { createDownloadLink, readDownloadLink } from '../src/shop/store/store-requests.ts';
import { startWorker } from '../src/worker/run.ts';
import { callApi, makeOwnedGame } from './setup/api-calls.ts';
import { signInCommand } from './setup/cli-logins.ts';
import { request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import {
  formOf,
  ship,
  shipAndScan,
  smallZip,
  startSession,
  untilScanned,
  upload,
  uploadFields,
} from './setup/uploads.ts';

type Offer = { version: string; file: { file_uid: string } };

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
  const ran: string[] = [];
  const probe = (name: string) => async () => {
    ran.push(name);
  };
  const deletion = defineJob('probe:delete', { attempts: 3, deletesOld: true }, probe('deletion'));
  const other = defineJob('probe:other', { attempts: 3 }, probe('other'));
  const worker = await startWorker(server.ctx, database.pool, [deletion, other]);
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

test('times are corrected when a worker starts, without waiting for the schedule', async () => {
  const ran = Promise.withResolvers<void>();
  const options = { attempts: 3, cron: '0 0 1 1 *', atStart: true };
  const correction = defineJob('probe:correct', options, async () => ran.resolve());
  const worker = await startWorker(server.ctx, database.pool, [correction]);
  await ran.promise;
  await worker.stop();
  const atStart = JOBS.filter((job) => job.atStart).map(({ task }) => task);
  assert.deepEqual(atStart.toSorted(), ['accounts:correct-times', 'sentry:take-deferred', 'service:correct-times']);
});

test('every job on a schedule that deletes what is old is left out then', () => {
  const deleting = /expire|forget|retention|sweep|drop-(counters|mail-counts)/;
  const scheduled = JOBS.filter(({ cron, task }) => cron !== undefined && deleting.test(task));
  assert.ok(scheduled.length > 15);
  assert.deepEqual(
    scheduled.filter(({ deletesOld }) => !deletesOld).map(({ task }) => task),
    [],
  );
});

describe('after the clock was a year ahead', () => {
  let ahead = 0;
  let jumping: TestServer;
  before(async () => {
    jumping = await startServer({ clock: { now: () => new Date(Date.now() + ahead) } });
  });
  after(() => jumping.stop());

  async function whileAhead<T>(work: () => Promise<T>): Promise<T> {
    ahead = YEAR;
    try {
      return await work();
    } finally {
      ahead = 0;
    }
  }

  test('a newer build goes live, and a newer file of a build is offered', async () => {
    const { game, owner } = await makeOwnedGame(jumping);
    const first = await whileAhead(() => shipAndScan(jumping, game, { version: '1.0' }));
    await correctFutureTimes(jumping.ctx);
    const zip = smallZip('second.txt');
    const second = await upload(jumping, game, formOf(uploadFields(first.buildId, zip), zip));
    await untilScanned(jumping, game, second.body.data.file_uid);
    const offered = async () => {
      const { body } = await request(`${jumping.api}/public/games/${game.uid}`);
      return body.data.downloads.map(({ version, file }: Offer) => [version, file.file_uid]);
    };
    assert.deepEqual(await offered(), [['1.0', second.body.data.file_uid]]);
    const { fileUid } = await shipAndScan(jumping, game, { version: '2.0' });
    assert.deepEqual(await offered(), [['2.0', fileUid]]);
    const { body } = await callApi(jumping, owner, 'GET', `/games/${game.uid}/channels/stable/history`);
    assert.deepEqual(
      body.data.moves.map(({ version }: { version: string }) => version),
      ['2.0', '1.0'],
    );
  });

  test('sessions of uploads, invitations and logins from then expire as if they were from now', async () => {
    const { game, owner } = await makeOwnedGame(jumping);
    await whileAhead(async () => {
      await startSession(jumping, game, smallZip());
      await callApi(jumping, owner, 'POST', `/games/${game.uid}/invitations`, {
        email: 'new@example.com',
        role: 'admin',
      });
      await signInCommand(jumping, owner);
    });
    await correctFutureTimes(jumping.ctx);
    const { session, invitation, login } = await onlyRow(
      jumping.ctx.db,
      sql<{ session: Date; invitation: Date; login: Date }>`select
        (select expires_at from upload_sessions where game_id = ${game.uid}) as session,
        (select expires_at from game_invitations where game_id = ${game.uid}) as invitation,
        (select max(last_used_at) from cli_logins) as login`,
    );
    const fromNow = (time: Date) => Math.ceil((time.getTime() - Date.now()) / HOUR) + 0;
    assert.deepEqual([session, invitation, login].map(fromNow), [6, 7 * 24, 0]);
  });

  test('times from then keep their order, and others are left alone', async () => {
    const { game } = await makeOwnedGame(jumping);
    const now = await ship(jumping, game, { version: 'now' });
    const [a, b] = await whileAhead(async () => [
      await ship(jumping, game, { version: 'a' }),
      await ship(jumping, game, { version: 'b' }),
    ]);
    const read = () =>
      rows(
        jumping.ctx.db,
        sql<{
          build_id: string;
          created_at: Date;
        }>`select build_id, created_at from builds where game_id = ${game.uid} order by created_at`,
      );
    const made = await read();
    // It may be the clock of the database that is wrong.
    await whileAhead(() => correctFutureTimes(jumping.ctx));
    assert.deepEqual(await read(), made);
    const [before] = made;
    for (const _ of [1, 2]) await correctFutureTimes(jumping.ctx);
    const builds = await read();
    assert.deepEqual(
      builds.map(({ build_id }) => build_id),
      [now, a, b].map((shipped) => shipped?.buildId),
    );
    assert.deepEqual(builds[0], before);
    assert.ok(builds.every(({ created_at }) => created_at.getTime() <= Date.now() + MINUTE));
  });
});

test('links that were signed while the clock was ahead are not valid afterwards, and others are', () => {
  const config = { ...server.ctx.config, downloadUrl: 'https://cdn.example.com' };
  const [gameId, fileId] = [newId(), newId()];
  const signAt = (ms: number) => {
    const now = new Date(Date.now() + ms);
    const ctx = { ...server.ctx, config, clock: { now: () => now } };
    const grant = {
      kind: 'dump',
      attachment: 0,
      gameId,
      reportId: fileId,
      expiresAt: new Date(now.getTime() + HOUR),
    } as const;
    const link = createDownloadLink(ctx, { gameId, fileId });
    return [
      readDownloadLink(server.ctx, link?.split('/').at(-1) ?? '') !== null,
      openDownloadToken(server.ctx, makeDownloadToken(ctx, grant)) !== null,
    ];
  };
  assert.deepEqual(signAt(0), [true, true]);
  assert.deepEqual(signAt(YEAR), [false, false]);
});

/** Their rows are corrected elsewhere, or nothing is granted by them. */
const OTHER_EXPIRIES = [
  'oauth_client_assertions.expires_at',
  'oauth_signing_keys.expires_at',
  'reserved_slugs.expires_at',
  'used_links.expires_at',
  'user_sessions.expires_at',
  'user_verifications.expires_at',
];

test('every table whose rows expire is corrected', async () => {
  const columns = await rows(
    server.ctx.db,
    sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name in ('expires_at', 'reserved_until') order by 1`,
  );
  const corrected = TIMES.flatMap(({ table, until: column }) => (column === undefined ? [] : [`${table}.${column}`]));
  assert.deepEqual(
    columns.map(({ name }) => name),
    [...corrected, ...OTHER_EXPIRIES].toSorted(),
  );
});
