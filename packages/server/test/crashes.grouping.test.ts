// Crash groups under load and over time: each report is counted once, and groups are created, deleted, resolved and
// opened again.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { readRegrouping, requestRegrouping } from '../src/crash/crashes/crashes.ts';
import { groupByMessage } from '../src/crash/crashes/groups/grouping.ts';
import { attachReports, detachReports, transactGroups } from '../src/crash/crashes/groups/groups.sql.ts';
import { finishReports, groupLate, groupMessages } from '../src/crash/crashes/process/messages.job.ts';
import { recordWalks, type Walk } from '../src/crash/crashes/process/process.job.ts';
import { regroupReports } from '../src/crash/crashes/process/regroup.job.ts';
import { reprocessMissing } from '../src/crash/crashes/process/reprocess.job.ts';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { findMiscount, groupsOf, readDumpFixture, reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { countJobs } from './setup/crashes.ts';
import { makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { waitingJobs } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DAY_MS = 24 * 3_600_000;

/** A grouping; equal names have equal keys. */
function groupingNamed(name: string) {
  return groupByMessage({ message: `group ${name} of things`, appVersion: '', os: '' });
}

describe('crash groups', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ role: 'api' });
  });
  after(() => server.stop());

  async function openGame() {
    const game = await makeGame(server);
    return { game, buildId: await register(server, game) };
  }

  function reportMany(game: TestGame, buildId: string, count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => reportCrash(server, game, buildId)));
  }

  /** Returns whether any of the reports exists. */
  async function attach(game: TestGame, reportIds: readonly string[], name: string): Promise<boolean> {
    const attached = await transactGroups(server.ctx.db, (tx) =>
      attachReports(tx, game.uid, reportIds, groupingNamed(name)),
    );
    return attached.length > 0;
  }

  function detach(game: TestGame, reportIds: readonly string[]): Promise<void> {
    return transactGroups(server.ctx.db, (tx) => detachReports(tx, game.uid, reportIds));
  }

  async function titles(game: TestGame) {
    return (await groupsOf(server, game)).map(({ title, count, status }) => [title, count, status]);
  }

  /** Resolves the group as fixed in this version and returns the time. */
  async function resolve(game: TestGame, version: string | null): Promise<void> {
    await changed(
      server.ctx.db,
      sql`update crash_groups set status = 'resolved', fixed_in_version = ${version}, resolved_at = now(), resolved_by = 'Ann'
        where game_id = ${game.uid}`,
    );
  }

  test('count each report once, however often it is added', async () => {
    const { game, buildId } = await openGame();
    const ids = await reportMany(game, buildId, 3);
    await attach(game, ids, 'a');
    await attach(game, ids.slice(1), 'a');
    assert.deepEqual(await titles(game), [['group a of things', 3, 'open']]);
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('keep correct counts when hundreds of reports are added at once', async () => {
    const { game, buildId } = await openGame();
    const ids = await reportMany(game, buildId, 200);
    await Promise.all(ids.map((id) => attach(game, [id], 'hot')));
    assert.deepEqual(await titles(game), [['group hot of things', 200, 'open']]);
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('keep correct counts without deadlocks while reports move at once', async () => {
    const { game, buildId } = await openGame();
    const ids = await reportMany(game, buildId, 12);
    const move = fc.record({
      reports: fc.subarray(ids, { minLength: 1, maxLength: 4 }),
      to: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 2, maxLength: 16 }), async (moves) => {
        await Promise.all(
          moves.map(({ reports, to }) => (to === null ? detach(game, reports) : attach(game, reports, to))),
        );
        assert.equal(await findMiscount(server, game.uid), undefined);
        assert.ok((await groupsOf(server, game)).every(({ count }) => count > 0));
      }),
      { numRuns: 40 },
    );
  });

  test('get the reports of several walks at once, each with its own stack, and no deleted one', async () => {
    const { game, buildId } = await openGame();
    const [first, second, deleted] = (await reportMany(game, buildId, 3)).toSorted();
    await changed(server.ctx.db, sql`delete from crash_reports where report_id = ${deleted}`);
    const walkOf = (reportId: string, name: string): Walk => ({
      reportId,
      excerpt: {
        crashAddress: `0x${name}`,
        frames: [
          { function: `at ${name}`, module: null, file: null, line: 1, offset: null, trust: 'cfi', inlined: false },
        ],
        functions: ['shared'],
        missingSymbols: [`${name}.so/${name}`, '"quoted", and \\ so on'],
        stops: [],
        system: { os: 'Linux', osVersion: '', distribution: null, cpu: null, cores: 1 },
        notes: { message: '', metadata: {} },
      },
      notes: null,
      grouping: groupingNamed('walked'),
      facets: new Map(),
      stackKey: `stacks/${name}`,
    });
    const walks = [walkOf(first!, 'a'), walkOf(second!, 'b'), walkOf(deleted!, 'c')];
    assert.deepEqual([...(await recordWalks(server.ctx.db, game.uid, walks, server.ctx.clock.now()))].sort(), [
      first,
      second,
    ]);
    assert.deepEqual(await titles(game), [['group walked of things', 2, 'open']]);
    const stored = await rows(
      server.ctx.db,
      sql`select stack_key, crash_address, frames->0->>'function' as function, missing_symbols, state
        from crash_reports where game_id = ${game.uid} order by report_id`,
    );
    assert.deepEqual(
      stored,
      ['a', 'b'].map((name) => ({
        stack_key: `stacks/${name}`,
        crash_address: `0x${name}`,
        function: `at ${name}`,
        missing_symbols: [`${name}.so/${name}`, '"quoted", and \\ so on'],
        state: 'processed',
      })),
    );
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('are deleted with their last report, unless they are resolved', async () => {
    const { game, buildId } = await openGame();
    const ids = await reportMany(game, buildId, 2);
    await attach(game, ids, 'a');
    await attach(game, ids, 'b');
    assert.deepEqual(await titles(game), [['group b of things', 2, 'open']]);
    await resolve(game, null);
    await detach(game, ids);
    assert.deepEqual(await titles(game), [['group b of things', 0, 'resolved']]);
    assert.equal((await groupsOf(server, game))[0]?.sample_report_id, null);
  });

  test('have the times of their first and last report, and the newest report as sample', async () => {
    const { game, buildId } = await openGame();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await reportCrash(server, game, buildId));
    const times = await rows(
      server.ctx.db,
      sql<{ received_at: Date }>`select received_at from crash_reports where game_id = ${game.uid} order by report_id`,
    );
    const [first, second, third] = times.map(({ received_at }) => received_at);
    const timesAndSample = async () => {
      const [group] = await groupsOf(server, game);
      return [group?.first_seen, group?.last_seen, group?.sample_report_id];
    };
    await attach(game, [ids[1]!], 'a');
    assert.deepEqual(await timesAndSample(), [second, second, ids[1]]);
    await attach(game, [ids[0]!, ids[2]!], 'a');
    assert.deepEqual(await timesAndSample(), [first, third, ids[2]]);
    await detach(game, [ids[2]!]);
    assert.deepEqual(await timesAndSample(), [first, second, ids[1]]);
    await detach(game, [ids[0]!]);
    assert.deepEqual(await timesAndSample(), [second, second, ids[1]]);
  });

  test('ignore deleted reports', async () => {
    const { game } = await openGame();
    assert.equal(await attach(game, [newId()], 'a'), false);
    assert.deepEqual(await titles(game), []);
  });

  test('are opened again by a build that was registered after they were resolved', async () => {
    const { game, buildId } = await openGame();
    await attach(game, await reportMany(game, buildId, 1), 'a');
    await resolve(game, null);
    await attach(game, await reportMany(game, buildId, 1), 'a');
    assert.deepEqual(await titles(game), [['group a of things', 2, 'resolved']]);
    const later = await register(server, game, { version: '1.1.0' });
    await attach(game, await reportMany(game, later, 1), 'a');
    assert.deepEqual(await titles(game), [['group a of things', 3, 'open']]);
    assert.ok((await groupsOf(server, game))[0]?.regressed_at instanceof Date);
  });

  test('are opened again by the version with the fix, even if it was registered before', async () => {
    const { game, buildId } = await openGame();
    const fixed = await register(server, game, { version: '1.1.0' });
    await attach(game, await reportMany(game, buildId, 1), 'a');
    await resolve(game, '1.1.0');
    await attach(game, await reportMany(game, buildId, 1), 'a');
    assert.deepEqual(await titles(game), [['group a of things', 2, 'resolved']]);
    await attach(game, await reportMany(game, fixed, 1), 'a');
    assert.deepEqual(await titles(game), [['group a of things', 3, 'open']]);
  });

  test('pass on their resolution when new rules rename them', async () => {
    const { game, buildId } = await openGame();
    const ids = await reportMany(game, buildId, 2);
    await attach(game, ids, 'old');
    await resolve(game, '1.1.0');
    await changed(server.ctx.db, sql`update crash_groups set grouping_version = 0 where game_id = ${game.uid}`);
    await attach(game, ids.slice(1), 'new');
    assert.deepEqual(await titles(game), [
      ['group new of things', 1, 'resolved'],
      ['group old of things', 1, 'resolved'],
    ]);
  });

  test('find the reports that are missing a module regardless of case, newest first, none twice', async () => {
    const { game, buildId } = await openGame();
    const ids = (await reportMany(game, buildId, 3)).sort();
    await changed(
      server.ctx.db,
      sql`update crash_reports set missing_symbols = array['Game.pdb/AB1'], stack_key = 'walked.json'
        where report_id = any(${ids.slice(1)}::uuid[])`,
    );
    const arrived = { gameId: game.uid, debugFile: 'game.pdb', debugId: 'AB1' };
    await reprocessMissing(server.ctx, arrived);
    await reprocessMissing(server.ctx, arrived);
    const jobs = await waitingJobs(server, 'crashes:process');
    assert.deepEqual(
      jobs.flatMap(({ gameId, reportId }) => (gameId === game.uid ? [reportId] : [])),
      [ids[2], ids[1]],
    );
  });
});

describe('reports that would never finish', () => {
  let server: TestServer;
  let now = Date.now();
  before(async () => {
    server = await startServer({ role: 'api', clock: { now: () => new Date(now) } });
  });
  after(() => server.stop());

  test('are grouped by message if their dump never arrives, and fail if processing never ends', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const { body } = await request(`${server.api}/public/crashes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-app-id': game.uid, 'x-build-id': buildId },
      body: JSON.stringify({ has_dump: true, message: 'no dump arrived' }),
    });
    const silent: string = body.data.id;
    const stuck = await reportCrash(server, game, buildId, { dump: Buffer.from('never read'), message: 'stuck' });
    await groupLate(server.ctx);
    assert.equal((await groupsOf(server, game)).length, 0);
    now += 3 * MINUTE;
    await groupLate(server.ctx);
    await groupLate(server.ctx);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      [['no dump arrived', 1]],
    );
    now += DAY_MS;
    await finishReports(server.ctx);
    assert.equal((await reportRow(server, silent)).state, 'received');
    now += DAY_MS / 12;
    await finishReports(server.ctx);
    const ended = await reportRow(server, silent);
    assert.deepEqual([ended.state, ended.failure], ['processed', 'The announced dump never arrived.']);
    assert.equal((await reportRow(server, stuck)).state, 'queued');
    now += 2 * DAY_MS;
    await finishReports(server.ctx);
    await finishReports(server.ctx);
    assert.equal((await reportRow(server, stuck)).state, 'failed');
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      [
        ['no dump arrived', 1],
        ['stuck', 1],
      ],
    );
  });

  test('are grouped together by jobs that run at the same time, and one that fails stops no other', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const ids = await Promise.all(['a', 'b', 'c'].map((message) => reportCrash(server, game, buildId, { message })));
    const setEvent = (event: string | null) =>
      changed(
        server.ctx.db,
        sql`update crash_reports set event = ${event} where game_id = ${game.uid} and report_id = ${ids[1]}`,
      );
    await setEvent('damaged');
    const ended = await Promise.allSettled(
      ids.map((id) => groupMessages(server.ctx, { gameId: game.uid, reportIds: [id] })),
    );
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await setEvent(null);
    const groups = await groupsOf(server, game);
    assert.deepEqual(groups.map(({ title, count }) => [title, count]).sort(), [
      ['a', 1],
      ['c', 1],
    ]);
  });

  test('count what further reports of a device add, up to a limit', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const first = await reportCrash(server, game, buildId, { device_uid: 'one-device' });
    const { db } = server.ctx;
    const copies = Array.from({ length: 1000 }, () => newId());
    await changed(
      db,
      sql`insert into crash_reports select (jsonb_populate_record(report, jsonb_build_object('report_id', copy))).*
        from crash_reports report, unnest(${copies}::uuid[]) as copy
        where game_id = ${game.uid} and report_id = ${first}`,
    );
    const count = (ids: readonly string[], value: number) =>
      transactGroups(db, (tx) =>
        attachReports(tx, game.uid, ids, groupingNamed('loop'), { facets: new Map(ids.map((id) => [id, [value]])) }),
      );
    await count([first], 1);
    await count([copies[0]!], 2);
    await count(copies.slice(1, -1), 1);
    await count([copies.at(-1)!], 3);
    const counted = await rows(
      db,
      sql`select value_id::integer, reports::integer, devices::integer from crash_group_values
        where game_id = ${game.uid} order by value_id`,
    );
    assert.deepEqual(counted, [
      { value_id: 1, reports: 999, devices: 1 },
      { value_id: 2, reports: 1, devices: 1 },
      { value_id: 3, reports: 1, devices: 0 },
    ]);
    const [totals] = await rows(
      db,
      sql`select sum(reports)::integer as reports, sum(devices)::integer as devices from crash_totals
        where game_id = ${game.uid} and scope_id = ${game.uid}`,
    );
    assert.deepEqual(totals, { reports: 1001, devices: 1 });
  });

  test('continue after an hour if their jobs were lost', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const withDump = await reportCrash(server, game, buildId, { dump: Buffer.from('not processed yet') });
    const withoutDump = await reportCrash(server, game, buildId, { message: 'no dump' });
    const jobsOf = async () =>
      (await countJobs({ server }, 'crashes:process', withDump)) +
      (await countJobs({ server }, 'crashes:group', withoutDump));
    assert.equal(await jobsOf(), 2);
    now += 2 * HOUR;
    await finishReports(server.ctx);
    assert.deepEqual([await jobsOf(), (await groupsOf(server, game)).length], [2, 0]);
    await changed(server.ctx.db, sql`delete from graphile_worker._private_jobs`);
    await finishReports(server.ctx);
    await finishReports(server.ctx);
    assert.equal(await countJobs({ server }, 'crashes:process', withDump), 1);
    assert.equal((await reportRow(server, withoutDump)).state, 'processed');
  });
});

describe('regrouping after the rules changed', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  /** Moves everything into one group, as if by older rules. */
  async function groupByOldRules(game: TestGame): Promise<void> {
    const { db } = server.ctx;
    const ids = await rows(
      db,
      sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${game.uid}`,
    );
    await transactGroups(db, (tx) =>
      attachReports(
        tx,
        game.uid,
        ids.map(({ report_id }) => report_id),
        groupingNamed('old'),
      ),
    );
    await changed(db, sql`update crash_reports set grouping_version = 0 where game_id = ${game.uid}`);
    await changed(db, sql`update crash_groups set grouping_version = 0 where game_id = ${game.uid}`);
  }

  test('moves all reports in batches by their stored stacks, counting none twice', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const dump = readDumpFixture('nosym_middle');
    const ids = await Promise.all([
      ...Array.from({ length: 104 }, () => reportCrash(server, game, buildId, { message: 'no stack' })),
      reportCrash(server, game, buildId, { dump }),
      reportCrash(server, game, buildId, { dump }),
    ]);
    for (const id of ids) await untilDone(server, id);
    const before = (await groupsOf(server, game)).map(({ title, count }) => [title, count]);
    await groupByOldRules(game);
    assert.equal((await groupsOf(server, game)).length, 1);
    assert.equal(await requestRegrouping(server.ctx, game.uid), 106);
    await until(async () => !(await readRegrouping(server.ctx, game.uid)).isRunning);
    assert.equal((await readRegrouping(server.ctx, game.uid)).left, 0);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      before,
    );
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('leaves a report in its group if its stored stack cannot be read', async () => {
    const game = await makeGame(server);
    const buildId = await register(server, game);
    const done = await untilDone(
      server,
      await reportCrash(server, game, buildId, { dump: readDumpFixture('nosym_middle') }),
    );
    await groupByOldRules(game);
    await server.ctx.blobs.delete(done.stack_key ?? '');
    await regroupReports(server.ctx, { gameId: game.uid, before: null });
    assert.equal((await readRegrouping(server.ctx, game.uid)).left, 1);
    assert.equal(await findMiscount(server, game.uid), undefined);
  });

  test('does nothing if the reports were grouped by the current rules', async () => {
    const game = await makeGame(server);
    await untilDone(server, await reportCrash(server, game, await register(server, game), { message: 'x' }));
    assert.equal(await requestRegrouping(server.ctx, game.uid), 0);
  });
});
