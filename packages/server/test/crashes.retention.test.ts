// The retention of crash reports on a real server: expired months are deleted with their files; groups keep their
// counts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { dropOldCrashes, sweepCrashes } from '../src/crash/crashes/keep/retention.job.ts';
import { rememberFunctions } from '../src/crash/crashes/process/prepare-grouping.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { rows, transact } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addBuild, addReport, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_CRASH_DAYS: '90' } });
});
after(() => server.stop());

const FILES = { dump: Buffer.from('MDMP'), log: Buffer.from('x') };

/** The context of the server with a clock at this time. */
function at(time: string | number) {
  return { ...server.ctx, clock: { now: () => new Date(time) } };
}

async function blobsOf(reportId: string): Promise<number> {
  let count = 0;
  for await (const { key } of server.ctx.blobs.list('crashes/')) if (key.includes(reportId)) count += 1;
  return count;
}

async function idsOf(game: SharedGame): Promise<string[]> {
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crashes`);
  return body.data.crashes.map(({ crash_id }: { crash_id: string }) => crash_id);
}

async function groupsOf(game: SharedGame) {
  return (await callAs(server, game.owner, `/games/${game.uid}/crash-groups`)).body.data.groups;
}

describe('the retention of crash reports', () => {
  test('drops months before the limit with their files, and keeps the month of the limit', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const add = (time: string, name: string) => addReport(at(time), { game, buildId, stack: [name], ...FILES });
    const [first, last] = [await add('2024-01-01T00:00:00Z', 'a'), await add('2024-01-31T23:59:59.999Z', 'b')];
    const next = await add('2024-02-01T00:00:00Z', 'b');
    // 90 days before May 1, 2024 is February 1; a moment earlier it is in January.
    await dropOldCrashes(at('2024-04-30T23:59:59Z'));
    assert.deepEqual((await idsOf(game)).toSorted(), [first, last, next].toSorted());
    await dropOldCrashes(at('2024-05-01T00:00:00Z'));
    assert.deepEqual(await idsOf(game), [next]);
    assert.deepEqual(await Promise.all([first, last, next].map(blobsOf)), [0, 0, 3]);
    const groups = await groupsOf(game);
    assert.deepEqual(
      groups.map(({ title, count, sample_crash_id }: Record<string, unknown>) => [title, count, sample_crash_id]),
      [
        ['b', 2, next],
        ['a', 1, null],
      ],
    );
  });

  test('keeps counting in a group whose reports were dropped', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    await addReport(at('2024-06-10T00:00:00Z'), { game, buildId, stack: ['a'] });
    await dropOldCrashes(at('2024-12-01T00:00:00Z'));
    const id = await addReport(server.ctx, { game, buildId, stack: ['a'] });
    const [group] = await groupsOf(game);
    assert.deepEqual([group.count, group.sample_crash_id], [2, id]);
    await callAs(server, game.owner, `/games/${game.uid}/crashes/${id}`, { method: 'DELETE' });
    const [left] = await groupsOf(game);
    assert.deepEqual([left.count, left.sample_crash_id], [1, null]);
  });

  test('drops reports that arrived before their month had a partition', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const id = newId(Date.parse('2023-03-05T00:00:00Z'));
    await rows(
      server.ctx.db,
      sql`insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version, engine_version, os,
          arch, message, user_message, anonymous, metadata)
        values (${game.uid}, ${id}, ${buildId}, now(), 'api', 'processed', '', '', '', 'linux', 'x86_64', '', '', false, '{}')`,
    );
    assert.deepEqual(await idsOf(game), [id]);
    await dropOldCrashes(at('2024-12-01T00:00:00Z'));
    assert.deepEqual(await idsOf(game), []);
  });

  test('keeps everything with 0 days', async () => {
    const game = await makeSharedGame(server);
    const id = await addReport(at('2022-03-05T00:00:00Z'), { game, buildId: await addBuild(server, game) });
    await dropOldCrashes({ ...server.ctx, config: { ...server.ctx.config, crashDays: 0 } });
    assert.deepEqual(await idsOf(game), [id]);
    await dropOldCrashes(server.ctx);
    assert.deepEqual(await idsOf(game), []);
  });

  test('gives up behind a long query, and succeeds when repeated', async () => {
    const game = await makeSharedGame(server);
    const id = await addReport(at('2021-03-05T00:00:00Z'), { game, buildId: await addBuild(server, game), ...FILES });
    await transact(server.ctx.db, async (tx) => {
      await rows(tx, sql`select from crash_reports where game_id = ${game.uid}`);
      await assert.rejects(dropOldCrashes(server.ctx), /lock timeout/);
    });
    assert.deepEqual(await idsOf(game), [id]);
    await dropOldCrashes(server.ctx);
    assert.deepEqual(await idsOf(game), []);
  });
});

describe('the names of functions', () => {
  const names = async (game: SharedGame) => {
    const functions = await rows(
      server.ctx.db,
      sql<{
        function: string;
      }>`select function from crash_functions where game_id = ${game.uid} order by function collate "C"`,
    );
    return functions.map(({ function: name }) => name);
  };
  const search = async (game: SharedGame, part: string): Promise<number> =>
    (await callAs(server, game.owner, `/games/${game.uid}/crashes?frame=${part}`)).body.data.crashes.length;

  test('are deleted with the last report that has them, and return with the next one', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    await addReport(at('2019-01-31T23:59:59Z'), { game, buildId, stack: ['old::f', 'main'] });
    await addReport(at('2019-02-01T00:00:00Z'), { game, buildId, stack: ['new::f', 'main'] });
    // 90 days after February 1 is May 2: all of February is kept, and a day of names because clocks differ.
    await dropOldCrashes(at('2019-05-02T00:00:00Z'));
    assert.deepEqual([await names(game), await search(game, 'old')], [['main', 'new::f', 'old::f'], 0]);
    await dropOldCrashes(at('2019-06-15T00:00:00Z'));
    assert.deepEqual([await names(game), await search(game, 'main')], [[], 0]);
    await addReport(at('2019-06-15T00:00:00Z'), { game, buildId, stack: ['old::f', 'main'] });
    assert.deepEqual([await names(game), await search(game, 'old')], [['main', 'old::f'], 1]);
    await dropOldCrashes(at('2019-08-01T00:00:00Z'));
    assert.deepEqual([await names(game), await search(game, 'old')], [['main', 'old::f'], 1]);
  });

  test('stay as long as the last month in which they were seen', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    for (const day of ['2018-01-10', '2018-03-10', '2018-02-10'])
      await addReport(at(`${day}T00:00:00Z`), { game, buildId, stack: ['main', 'main'] });
    await dropOldCrashes(at('2018-06-20T00:00:00Z'));
    assert.deepEqual([await names(game), await search(game, 'main')], [['main'], 1]);
  });

  test('are deleted even if there are many', async () => {
    const game = await makeSharedGame(server);
    await rows(
      server.ctx.db,
      sql`insert into crash_functions (game_id, function, seen_on)
        select ${game.uid}, 'f' || no, '2017-01-01' from generate_series(1, 25000) no`,
    );
    await dropOldCrashes(at('2019-06-15T00:00:00Z'));
    assert.deepEqual(await names(game), []);
  });

  test('stay if they are being updated, without waiting', async () => {
    const game = await makeSharedGame(server);
    await rememberFunctions(server.ctx.db, game.uid, ['a', 'b'], '2017-01-01');
    await transact(server.ctx.db, async (tx) => {
      await rememberFunctions(tx, game.uid, ['b'], '2019-06-15');
      await dropOldCrashes(at('2019-06-15T00:00:00Z'));
    });
    assert.deepEqual(await names(game), ['b']);
  });
});

describe('the sweep of crash files', () => {
  test('deletes files without a report after a day, and no others', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const kept = await addReport(server.ctx, { game, buildId, stack: ['a'], ...FILES });
    const prefix = `crashes/${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
    const unknown = newId();
    // The blob of an interrupted second walk, a file of a report that was never written, and an unrelated name.
    for (const key of [`${prefix}/${kept}/${newId()}.json.gz`, `${prefix}/${unknown}/${newId()}.dmp`, 'crashes/odd']) {
      await server.ctx.blobs.complete(await server.ctx.blobs.begin(key));
    }
    const begun = `${prefix}/${newId()}/${newId()}.dmp`;
    await server.ctx.blobs.begin(begun);
    const keys = () => Array.fromAsync(server.ctx.blobs.list('crashes/'), ({ key }) => key);
    const before = await keys();
    await sweepCrashes(at(Date.now() + 23 * HOUR));
    assert.deepEqual((await keys()).toSorted(), before.toSorted());
    await sweepCrashes(at(Date.now() + 25 * HOUR));
    const left = await keys();
    assert.ok(!left.some((key) => key.includes(unknown) || key === 'crashes/odd' || key === begun));
    assert.equal(await blobsOf(kept), 3);
  });
});
