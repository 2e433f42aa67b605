// Merges and splits of crash groups on a real server, and their undoing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { detachReports, transactGroups } from '../src/crash/crashes/groups/groups.sql.ts';
import { groupMessages } from '../src/crash/crashes/process/messages.job.ts';
import { moveSplit } from '../src/crash/crashes/triage/group-moves.ts';
import { addBuild, addReport, callAs } from './setup/crash-reports.ts';
import { isLockAwaited } from './setup/lock-waits.ts';
import { type ApiResponse, startServer, type TestServer } from './setup/server.ts';
import {
  activityOf,
  addCrash,
  call,
  done,
  idsOf,
  listedGroups,
  makeTriagedGame,
  patch,
  post,
  type TriagedGame,
  undo,
} from './setup/triage.ts';
import { until } from './setup/until.ts';

/** Runs no jobs: the tests do. */
let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

describe('merged groups', () => {
  test('are one group with all their reports, present and future, until they are separated', async () => {
    const studio = await makeTriagedGame(server);
    const second = await addBuild(server, studio.game, { version: '2.0.0', os: 'windows' });
    await addCrash(studio, ['a']);
    for (let count = 0; count < 3; count += 1) await addCrash(studio, ['b'], second);
    await addCrash(studio, ['c']);
    const [a = '', b = '', c = ''] = await idsOf(studio, 'a', 'b', 'c');
    const merged = await post(studio, '/merge', { group_ids: [a, b] });
    assert.equal(merged.group_id, b, 'the one with most reports');
    await addCrash(studio, ['a']);
    const groups = await listedGroups(studio);
    assert.deepEqual(
      groups.map(({ title, count, merged_count }) => [title, count, merged_count]),
      [
        ['b', 5, 1],
        ['c', 1, 0],
      ],
    );
    const detail = await done(studio, `/${a}`);
    assert.deepEqual([detail.group_id, detail.count, detail.build_count], [b, 5, 2]);
    assert.deepEqual(
      detail.merged.map(({ signature, count }: { signature: string; count: number }) => [signature, count]),
      [['a', 2]],
    );
    assert.equal(
      detail.days.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      5,
    );
    assert.deepEqual(
      (await listedGroups(studio, `?build_id=${studio.build}`)).map(({ title }) => title),
      ['b', 'c'],
    );
    const path = `/games/${studio.game.uid}/crashes?limit=2&group_id=`;
    const [first, second_] = await Promise.all(
      [a, b].map(async (id) => (await callAs(server, studio.game.owner, `${path}${id}`)).body.data),
    );
    assert.deepEqual(first.crashes, second_.crashes);
    assert.deepEqual(
      first.crashes.map(({ title, group_id }: { title: string; group_id: string }) => [title, group_id]),
      [
        ['a', b],
        ['b', b],
      ],
    );
    const rest = `${path}${a}&cursor=${encodeURIComponent(first.next_cursor)}`;
    assert.equal((await callAs(server, studio.game.owner, rest)).body.data.crashes.length, 2);

    await post(studio, `/${b}/unmerge`, { group_ids: [a] });
    assert.deepEqual((await listedGroups(studio)).map(({ title, count }) => [title, count]).sort(), [
      ['a', 2],
      ['b', 3],
      ['c', 1],
    ]);
    assert.equal((await call(studio, `/${b}/unmerge`, { method: 'POST', body: { group_ids: [c] } })).status, 404);
  });

  test('share one state, which a report of any of them can reopen', async () => {
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b']) await addCrash(studio, [name]);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    await patch(studio, b, { status: 'resolved', fixed_in_version: '2.0.0' });
    assert.equal((await done(studio, `/${a}`)).status, 'resolved');
    const fixed = await addBuild(server, studio.game, { version: '2.0.0' });
    await addCrash(studio, ['b'], fixed);
    const detail = await done(studio, `/${b}`);
    assert.deepEqual([detail.group_id, detail.status, detail.regressed_at === null], [a, 'open', false]);
  });

  test('can be merged into others, and each merge undone', async () => {
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b', 'c', 'd']) await addCrash(studio, [name]);
    const [a = '', b = '', c = '', d = ''] = await idsOf(studio, 'a', 'b', 'c', 'd');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    await post(studio, '/merge', { group_ids: [c, d], into: c });
    const { change_uid } = await post(studio, '/merge', { group_ids: [b, d], into: d });
    assert.deepEqual(
      (await listedGroups(studio)).map(({ title, count }) => [title, count]),
      [['c', 4]],
    );
    const undone = await undo(studio, change_uid);
    assert.deepEqual([undone.undone, undone.skipped], [2, 0]);
    const places = async () => (await listedGroups(studio)).map(({ title, count }) => [title, count]).sort();
    assert.deepEqual(await places(), [
      ['a', 2],
      ['c', 2],
    ]);
    await undo(studio, undone.change_uid);
    assert.deepEqual(await places(), [['c', 4]]);
    assert.deepEqual((await undo(studio, change_uid)).undone, 2);
    assert.deepEqual(await undo(studio, change_uid), { change_uid: null, undone: 0, skipped: 2 });
  });

  test('stay where they are if the group that they were in before has gone elsewhere', async () => {
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b', 'c', 'd']) await addCrash(studio, [name]);
    const [a = '', b = '', c = '', d = ''] = await idsOf(studio, 'a', 'b', 'c', 'd');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    const { change_uid } = await post(studio, '/merge', { group_ids: [a, c], into: c });
    await post(studio, `/${c}/unmerge`, { group_ids: [a] });
    await post(studio, '/merge', { group_ids: [a, d], into: d });
    assert.deepEqual(await undo(studio, change_uid), { change_uid: null, undone: 0, skipped: 2 });
    assert.deepEqual((await listedGroups(studio)).map(({ title, count }) => [title, count]).sort(), [
      ['c', 2],
      ['d', 2],
    ]);
  });

  test('two merges in opposite directions at once leave one group', async () => {
    for (let round = 0; round < 5; round += 1) {
      const studio = await makeTriagedGame(server);
      for (const name of ['a', 'b']) await addCrash(studio, [name]);
      const ids = await idsOf(studio, 'a', 'b');
      await Promise.all(ids.map((into) => post(studio, '/merge', { group_ids: ids, into })));
      const groups = await listedGroups(studio);
      assert.deepEqual(
        groups.map(({ count, merged_count }) => [count, merged_count]),
        [[2, 1]],
      );
    }
  });

  test('are refused across games, alone, and into a group that is not among them', async () => {
    const [studio, other] = [await makeTriagedGame(server), await makeTriagedGame(server)];
    await addCrash(studio, ['a']);
    await addCrash(other, ['a']);
    const [[own = ''], [foreign = '']] = [await idsOf(studio, 'a'), await idsOf(other, 'a')];
    const merge = (body: object) => call(studio, '/merge', { method: 'POST', body });
    assert.equal((await merge({ group_ids: [own, foreign] })).status, 404);
    assert.equal((await merge({ group_ids: [own] })).status, 400);
    assert.equal((await merge({ group_ids: [own, own] })).status, 400);
    await addCrash(studio, ['b']);
    const ids = await idsOf(studio, 'a', 'b');
    assert.equal((await merge({ group_ids: ids, into: foreign })).status, 400);
  });
});

describe('a group that is deleted meanwhile, with its last report,', () => {
  /** Deletes the report of `a` while `change` waits for the group. */
  async function changeDuring(change: (studio: TriagedGame, ids: { a: string; b: string }) => Promise<ApiResponse>) {
    const studio = await makeTriagedGame(server);
    const reportId = await addCrash(studio, ['a', 'mod']);
    await addCrash(studio, ['b']);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    const changing = await transactGroups(server.ctx.db, async (tx) => {
      await detachReports(tx, studio.game.uid, [reportId]);
      const response = change(studio, { a, b });
      await until(() => isLockAwaited(server.ctx.db));
      return { response };
    });
    return { ...(await changing.response), studio, b };
  }

  const changes: Readonly<
    Record<string, (ids: { a: string; b: string }) => [path: string, body: object, method?: string]>
  > = {
    merge: ({ a, b }) => ['/merge', { group_ids: [a, b], into: a }],
    split: ({ a }) => [`/${a}/split`, { function: 'mod' }],
    update: ({ a }) => [`/${a}`, { status: 'resolved' }, 'PATCH'],
    'change of many': ({ a, b }) => ['/changes', { group_ids: [a, b], priority: 'high' }],
    comment: ({ a }) => [`/${a}/comments`, { comment: 'Seen twice' }],
  };
  for (const [name, change] of Object.entries(changes))
    test(`is unknown to a ${name}, which changes nothing`, async () => {
      const { status, studio, b } = await changeDuring((studio, ids) => {
        const [path, body, method = 'POST'] = change(ids);
        return call(studio, path, { method, body });
      });
      assert.equal(status, 404);
      assert.deepEqual(
        (await listedGroups(studio)).map(({ group_id, merged_count }) => [group_id, merged_count]),
        [[b, 0]],
      );
    });
});

describe('a split group', () => {
  const moveAll = async ({ game }: TriagedGame, groupId: string, name: string) =>
    moveSplit(server.ctx, { gameId: game.uid, groupId, name, before: null });
  const places = async (studio: TriagedGame) =>
    (await listedGroups(studio))
      .map(({ title, count }) => [title, count] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));

  test('has another group for reports with a function, present and future, until it is undone', async () => {
    const studio = await makeTriagedGame(server);
    for (let count = 0; count < 2; count += 1) await addCrash(studio, ['draw', 'Mod::load', 'main']);
    await addCrash(studio, ['draw', 'main']);
    const [id = ''] = await idsOf(studio, 'draw');
    const split = await post(studio, `/${id}/split`, { function: 'Mod::load' });
    await moveAll(studio, id, 'Mod::load');
    assert.deepEqual(await places(studio), [
      ['draw', 1],
      ['draw (with Mod::load)', 2],
    ]);
    await addCrash(studio, ['draw', 'Mod::load', 'main']);
    await addCrash(studio, ['draw', 'loop']);
    assert.deepEqual(await places(studio), [
      ['draw', 2],
      ['draw (with Mod::load)', 3],
    ]);
    const part = await done(studio, `/${split.group_id}`);
    assert.deepEqual(part.split_from, { group_id: id, function: 'Mod::load' });
    assert.equal(part.signature, 'draw');
    const [whole] = (await done(studio, `/${id}`)).split_off;
    assert.deepEqual(whole, { group_id: split.group_id, function: 'Mod::load', count: 3 });

    const undone = await undo(studio, split.change_uid);
    assert.equal(undone.undone, 1);
    await addCrash(studio, ['draw', 'Mod::load', 'main']);
    assert.deepEqual(await places(studio), [['draw', 6]]);
    await undo(studio, undone.change_uid);
    await addCrash(studio, ['draw', 'Mod::load', 'main']);
    assert.deepEqual(await places(studio), [
      ['draw', 3],
      ['draw (with Mod::load)', 4],
    ]);
    const kinds = (await activityOf(studio, id)).map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['split', 'unsplit', 'split']);
  });

  test('can be split again, but not by a function that no report or every report has', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['draw', 'x', 'y']);
    await addCrash(studio, ['draw', 'x']);
    const [id = ''] = await idsOf(studio, 'draw');
    const refused = async (groupId: string, name: string) =>
      (await call(studio, `/${groupId}/split`, { method: 'POST', body: { function: name } })).status;
    assert.equal(await refused(id, 'z'), 400);
    const part = await post(studio, `/${id}/split`, { function: 'x' });
    await moveAll(studio, id, 'x');
    assert.equal(await refused(part.group_id, 'x'), 400);
    await post(studio, `/${part.group_id}/split`, { function: 'y' });
    await moveAll(studio, part.group_id, 'y');
    await addCrash(studio, ['draw', 'y', 'x']);
    assert.deepEqual(await places(studio), [
      ['draw', 0],
      ['draw (with x)', 1],
      ['draw (with y)', 2],
    ]);
    const messages = await addReport(server.ctx, { game: studio.game, buildId: studio.build, message: 'lost' });
    await groupMessages(server.ctx, { gameId: studio.game.uid, reportIds: [messages] });
    const [lost = ''] = await idsOf(studio, 'lost');
    assert.equal(await refused(lost, 'x'), 400);
  });

  test('splits the groups merged into it in the same way', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a', 'mod']);
    await addCrash(studio, ['a']);
    await addCrash(studio, ['b', 'mod']);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    const split = await post(studio, `/${b}/split`, { function: 'mod' });
    for (const id of [a, b]) await moveAll(studio, id, 'mod');
    assert.deepEqual(await places(studio), [
      ['a', 1],
      ['a (with mod)', 2],
    ]);
    await undo(studio, split.change_uid);
    assert.deepEqual(await places(studio), [['a', 3]]);
  });

  test('can be split again after that was undone, also if it got no reports since', async () => {
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b']) await addCrash(studio, [name, 'mod']);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    const split = await post(studio, `/${a}/split`, { function: 'mod' });
    const other = await post(studio, `/${b}/split`, { function: 'mod' });
    for (const id of [a, b]) await moveAll(studio, id, 'mod');
    await undo(studio, split.change_uid);
    // All its reports have the function, but it was split off from a group that is elsewhere.
    await post(studio, '/merge', { group_ids: [a, other.group_id], into: a });
    const again = await post(studio, `/${a}/split`, { function: 'mod' });
    assert.equal(again.group_id, split.group_id);
    assert.deepEqual(await places(studio), [
      ['a', 0],
      ['a (with mod)', 2],
      ['b', 0],
    ]);
    await addCrash(studio, ['a', 'mod']);
    await undo(studio, again.change_uid);
    assert.deepEqual(await places(studio), [
      ['a', 3],
      ['b', 0],
    ]);
  });

  test('is not split by a function that only a part of another group has, which can be separated', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
    await addCrash(studio, ['b', 'mod']);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    const { group_id: part } = await post(studio, `/${b}/split`, { function: 'mod' });
    await moveAll(studio, b, 'mod');
    await post(studio, '/merge', { group_ids: [a, part], into: a });
    const { status, body } = await call(studio, `/${a}/split`, { method: 'POST', body: { function: 'mod' } });
    assert.equal(status, 400);
    assert.match(body.error?.message ?? '', /Separate that group instead/);
    await post(studio, `/${a}/unmerge`, { group_ids: [part] });
  });

  test('gets its part back together with the groups that were merged into the part', async () => {
    const studio = await makeTriagedGame(server);
    const send = async () => {
      for (const name of ['a', 'b']) await addCrash(studio, [name, 'mod']);
    };
    await send();
    await addCrash(studio, ['x']);
    const [a = '', b = '', x = ''] = await idsOf(studio, 'a', 'b', 'x');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    const { group_id, change_uid } = await post(studio, `/${a}/split`, { function: 'mod' });
    for (const id of [a, b]) await moveAll(studio, id, 'mod');
    const [{ group_id: partOfB }] = (await done(studio, `/${group_id}`)).merged;
    await undo(studio, change_uid);
    await post(studio, `/${a}/unmerge`, { group_ids: [partOfB] });
    await post(studio, '/merge', { group_ids: [x, partOfB], into: partOfB });
    await send();
    assert.equal((await post(studio, `/${a}/split`, { function: 'mod' })).group_id, group_id);
    for (const id of [a, b]) await moveAll(studio, id, 'mod');
    assert.deepEqual(await places(studio), [
      ['a', 0],
      ['a (with mod)', 5],
    ]);
  });
});
