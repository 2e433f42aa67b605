// Triage of crash groups on a real server: changes with undo, snoozes, merges, splits, comments and their mails.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { raiseCrashAlerts } from '../src/features/crashes/alerts/alerts.job.ts';
import { groupMessages } from '../src/features/crashes/groups/messages.job.ts';
import { moveSplit } from '../src/features/crashes/triage/move-split.job.ts';
import { DAY, HOUR } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

/** Runs no jobs: the tests do. */
let server: TestServer;
let mailing: TestServer;
before(async () => {
  [server, mailing] = await Promise.all([startServer({ role: 'api' }), startServer()]);
});
after(() => Promise.all([server.stop(), mailing.stop()]));

type Studio = { server: TestServer; game: SharedGame; build: string };

async function openStudio(on = server): Promise<Studio> {
  const game = await makeSharedGame(on);
  return { server: on, game, build: await addBuild(on, game, { version: '1.0.0' }) };
}

const report = (studio: Studio, stack: readonly string[], buildId = studio.build) =>
  addReport(studio.server.ctx, { game: studio.game, buildId, stack });

type CallOptions = { method?: string; body?: unknown; as?: Person | null };

async function call(
  studio: Studio,
  path: string,
  { method = 'GET', body, as = studio.game.owner }: CallOptions = {},
): Promise<ApiResponse> {
  const { game } = studio;
  return callAs(studio.server, as, `/games/${game.uid}/crash-groups${path}`, { method, body });
}

async function done(studio: Studio, path: string, options: CallOptions = {}) {
  const { status, body } = await call(studio, path, options);
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
}

type Listed = {
  group_id: string;
  title: string;
  signature: string;
  status: string;
  count: number;
  merged_count: number;
};

async function groupsOf(studio: Studio, query = ''): Promise<Listed[]> {
  return (await done(studio, query)).groups;
}

const titled = (groups: readonly Listed[], title: string) => groups.find((group) => group.title === title)!;

async function idsOf(studio: Studio, ...titles: string[]): Promise<string[]> {
  const groups = await groupsOf(studio);
  return titles.map((title) => titled(groups, title).group_id);
}

const patch = (studio: Studio, id: string, body: object, as?: Person) =>
  done(studio, `/${id}`, { method: 'PATCH', body, ...(as && { as }) });
const post = (studio: Studio, path: string, body: object = {}) => done(studio, path, { method: 'POST', body });
const undo = (studio: Studio, change: string) => post(studio, `/changes/${change}/undo`);
const activityOf = async (studio: Studio, id: string) => (await done(studio, `/${id}/activity`)).activity;

describe('a change of a group', () => {
  test('sets the status, the assignee, the priority, the title and the issue, and can be undone', async () => {
    const studio = await openStudio();
    await report(studio, ['Door::open']);
    const [id = ''] = await idsOf(studio, 'Door::open');
    const { admin } = studio.game;
    const change = {
      status: 'resolved',
      fixed_in_version: '1.1.0',
      assignee: admin.id,
      priority: 'high',
      title: 'Doors crash',
      issue_url: 'https://example.com/issues/7',
    };
    const changed = await patch(studio, id, change);
    const { status, fixed_in_version, assignee, priority, title, signature, issue_url } = changed;
    assert.deepEqual(
      { status, fixed_in_version, assignee: assignee.user_id, priority, title, issue_url },
      { ...change, assignee: admin.id },
    );
    assert.equal(signature, 'Door::open');
    assert.deepEqual(await undo(studio, changed.change_uid), {
      change_uid: (await activityOf(studio, id))[0].change_uid,
      undone: 1,
      skipped: 0,
    });
    const restored = await done(studio, `/${id}`);
    assert.deepEqual(
      [restored.status, restored.fixed_in_version, restored.assignee, restored.priority, restored.title],
      ['open', null, null, null, 'Door::open'],
    );
    const [undone, made, ...others] = await activityOf(studio, id);
    assert.deepEqual(others, []);
    assert.deepEqual([made.kind, made.user_id, made.agent], ['change', studio.game.owner.id, null]);
    assert.equal(made.before.status, 'open');
    assert.deepEqual(made.after.assignee.user_id, admin.id);
    assert.deepEqual(undone.after, made.before);
  });

  test('is undone only in groups that were not changed again since', async () => {
    const studio = await openStudio();
    for (const name of ['a', 'b', 'c']) await report(studio, [name]);
    const ids = await idsOf(studio, 'a', 'b', 'c');
    const { change_uid, changed } = await post(studio, '/changes', { group_ids: ids, priority: 'low' });
    assert.equal(changed, 3);
    await patch(studio, ids[1]!, { priority: 'urgent' });
    const undone = await undo(studio, change_uid);
    assert.deepEqual([undone.undone, undone.skipped], [2, 1]);
    assert.equal((await done(studio, `/${ids[1]}`)).priority, 'urgent');
    const redone = await undo(studio, undone.change_uid);
    assert.deepEqual([redone.undone, redone.skipped], [2, 0]);
    assert.equal((await done(studio, `/${ids[0]}`)).priority, 'low');
  });

  test('that changes nothing is not recorded', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    assert.equal((await patch(studio, id, { status: 'open', priority: null })).change_uid, null);
    assert.equal((await patch(studio, id, {})).change_uid, null);
    assert.deepEqual(await activityOf(studio, id), []);
  });

  test('is refused for fields that do not go together, and for people who are not members', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    const stranger = await makePlayer(server);
    const past = new Date(Date.now() - DAY).toISOString();
    for (const body of [
      { fixed_in_version: '1' },
      { status: 'open', fixed_in_version: '1' },
      { status: 'snoozed' },
      { status: 'snoozed', snooze: {} },
      { status: 'snoozed', snooze: { next_build: false } },
      { status: 'snoozed', snooze: { until: past } },
      { status: 'snoozed', snooze: { reports: 0 } },
      { snooze: { reports: 5 } },
      { status: 'gone' },
      { assignee: stranger.id },
      { assignee: 'x' },
      { priority: 'huge' },
      { title: '' },
      { issue_url: 'javascript:alert(1)' },
    ]) {
      const { status, body: response } = await call(studio, `/${id}`, { method: 'PATCH', body });
      assert.deepEqual([status, response.error?.code], [400, 4002], JSON.stringify(body));
    }
    assert.deepEqual(await activityOf(studio, id), []);
  });

  test('is only for members, of groups of their game', async () => {
    const [studio, other] = [await openStudio(), await openStudio()];
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    const { change_uid } = await patch(studio, id, { priority: 'low' });
    const change = { method: 'POST', body: { group_ids: [id], status: 'ignored' } };
    assert.equal((await call(other, '/changes', change)).status, 404);
    assert.equal((await call(studio, '/changes', { ...change, as: other.game.owner })).status, 404);
    assert.equal((await call(studio, '/changes', { ...change, as: null })).status, 401);
    assert.equal((await call(other, `/changes/${change_uid}/undo`, { method: 'POST', body: {} })).status, 404);
    assert.equal((await call(other, `/${id}/activity`)).status, 404);
    const missing = { method: 'POST', body: { group_ids: [id, newId()], status: 'ignored' } };
    assert.equal((await call(studio, '/changes', missing)).status, 404);
    assert.equal((await done(studio, `/${id}`)).status, 'open');
  });

  test('of the same group by many at once is recorded step by step', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    const priorities = ['low', 'medium', 'high', 'urgent', 'low', 'medium', 'high', 'urgent'];
    await Promise.all(priorities.map((priority) => patch(studio, id, { priority })));
    const activity = await activityOf(studio, id);
    let before: string | null = null;
    for (const entry of activity.toReversed()) {
      assert.equal(entry.before.priority, before);
      before = entry.after.priority;
    }
    assert.equal((await done(studio, `/${id}`)).priority, before);
  });
});

describe('a snoozed group', () => {
  const snooze = async (studio: Studio, id: string, how: object) =>
    patch(studio, id, { status: 'snoozed', snooze: how });
  const statusOf = async (studio: Studio, id: string) => (await done(studio, `/${id}`)).status;
  const alertsOf = async ({ game }: Studio) =>
    (
      await rows(
        server.ctx.db,
        sql<{ kind: string }>`delete from alerts where game_id = ${game.uid} and kind <> 'first_crash' returning kind`,
      )
    ).map(({ kind }) => kind);

  test('opens after a number of reports, with an alert', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    await raiseCrashAlerts(server.ctx);
    await alertsOf(studio);
    const snoozed = await snooze(studio, id, { reports: 2 });
    assert.deepEqual(snoozed.snooze, { until: null, reports: 2, next_build: false });
    await report(studio, ['a']);
    assert.deepEqual((await done(studio, `/${id}`)).snooze.reports, 1);
    await raiseCrashAlerts(server.ctx);
    assert.deepEqual(await alertsOf(studio), []);
    await report(studio, ['a']);
    assert.equal(await statusOf(studio, id), 'open');
    await raiseCrashAlerts(server.ctx);
    assert.deepEqual(await alertsOf(studio), ['snooze_ended']);
    const [reopened, made] = await activityOf(studio, id);
    assert.deepEqual([reopened.kind, reopened.user_id, reopened.before.status], ['reopen', null, 'snoozed']);
    assert.deepEqual(made.after.snooze, { until: null, reports: 2, next_build: false });
  });

  test('opens with a report of a build that is newer than the snooze', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    await snooze(studio, id, { next_build: true, reports: 1000 });
    await report(studio, ['a']);
    assert.equal(await statusOf(studio, id), 'snoozed');
    const next = await addBuild(server, studio.game, { version: '1.1.0' });
    await report(studio, ['a'], next);
    assert.equal(await statusOf(studio, id), 'open');
    assert.equal((await done(studio, `/${id}`)).regressed_at, null);
  });

  test('opens at a time', async () => {
    const studio = await openStudio();
    await report(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    await snooze(studio, id, { until: new Date(Date.now() + HOUR).toISOString() });
    await raiseCrashAlerts(server.ctx);
    assert.equal(await statusOf(studio, id), 'snoozed');
    const later = new Date(Date.now() + 2 * HOUR);
    await raiseCrashAlerts({ ...server.ctx, clock: { now: () => later } });
    assert.equal(await statusOf(studio, id), 'open');
  });
});

test('an ignored group stays ignored, and raises no alerts', async () => {
  const studio = await openStudio();
  await report(studio, ['a']);
  const [id = ''] = await idsOf(studio, 'a');
  await patch(studio, id, { status: 'ignored' });
  const next = await addBuild(server, studio.game, { version: '1.1.0' });
  for (let count = 0; count < 40; count += 1) await report(studio, ['a'], next);
  await raiseCrashAlerts(server.ctx);
  const raised = await rows(
    server.ctx.db,
    sql<{ kind: string }>`select kind from alerts where game_id = ${studio.game.uid} and kind <> 'first_crash'`,
  );
  assert.deepEqual(raised, []);
  assert.deepEqual(
    (await groupsOf(studio, '?status=ignored')).map(({ count }) => count),
    [41],
  );
  assert.deepEqual(await groupsOf(studio, '?status=open'), []);
});

describe('merged groups', () => {
  test('are one group with all their reports, present and future, until they are separated', async () => {
    const studio = await openStudio();
    const second = await addBuild(server, studio.game, { version: '2.0.0', os: 'windows' });
    await report(studio, ['a']);
    for (let count = 0; count < 3; count += 1) await report(studio, ['b'], second);
    await report(studio, ['c']);
    const [a = '', b = '', c = ''] = await idsOf(studio, 'a', 'b', 'c');
    const merged = await post(studio, '/merge', { group_ids: [a, b] });
    assert.equal(merged.group_id, b, 'the one with most reports');
    await report(studio, ['a']);
    const groups = await groupsOf(studio);
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
      (await groupsOf(studio, `?build_id=${studio.build}`)).map(({ title }) => title),
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
    assert.deepEqual((await groupsOf(studio)).map(({ title, count }) => [title, count]).sort(), [
      ['a', 2],
      ['b', 3],
      ['c', 1],
    ]);
    assert.equal((await call(studio, `/${b}/unmerge`, { method: 'POST', body: { group_ids: [c] } })).status, 404);
  });

  test('share one state, which a report of any of them can reopen', async () => {
    const studio = await openStudio();
    for (const name of ['a', 'b']) await report(studio, [name]);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    await patch(studio, b, { status: 'resolved', fixed_in_version: '2.0.0' });
    assert.equal((await done(studio, `/${a}`)).status, 'resolved');
    const fixed = await addBuild(server, studio.game, { version: '2.0.0' });
    await report(studio, ['b'], fixed);
    const detail = await done(studio, `/${b}`);
    assert.deepEqual([detail.group_id, detail.status, detail.regressed_at === null], [a, 'open', false]);
  });

  test('can be merged into others, and each merge undone', async () => {
    const studio = await openStudio();
    for (const name of ['a', 'b', 'c', 'd']) await report(studio, [name]);
    const [a = '', b = '', c = '', d = ''] = await idsOf(studio, 'a', 'b', 'c', 'd');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    await post(studio, '/merge', { group_ids: [c, d], into: c });
    const { change_uid } = await post(studio, '/merge', { group_ids: [b, d], into: d });
    assert.deepEqual(
      (await groupsOf(studio)).map(({ title, count }) => [title, count]),
      [['c', 4]],
    );
    const undone = await undo(studio, change_uid);
    assert.deepEqual([undone.undone, undone.skipped], [2, 0]);
    const places = async () => (await groupsOf(studio)).map(({ title, count }) => [title, count]).sort();
    assert.deepEqual(await places(), [
      ['a', 2],
      ['c', 2],
    ]);
    await undo(studio, undone.change_uid);
    assert.deepEqual(await places(), [['c', 4]]);
    assert.deepEqual((await undo(studio, change_uid)).undone, 2);
    assert.deepEqual(await undo(studio, change_uid), { change_uid: null, undone: 0, skipped: 2 });
  });

  test('two merges in opposite directions at once leave one group', async () => {
    for (let round = 0; round < 5; round += 1) {
      const studio = await openStudio();
      for (const name of ['a', 'b']) await report(studio, [name]);
      const ids = await idsOf(studio, 'a', 'b');
      await Promise.all(ids.map((into) => post(studio, '/merge', { group_ids: ids, into })));
      const groups = await groupsOf(studio);
      assert.deepEqual(
        groups.map(({ count, merged_count }) => [count, merged_count]),
        [[2, 1]],
      );
    }
  });

  test('are refused across games, alone, and into a group that is not among them', async () => {
    const [studio, other] = [await openStudio(), await openStudio()];
    await report(studio, ['a']);
    await report(other, ['a']);
    const [[own = ''], [foreign = '']] = [await idsOf(studio, 'a'), await idsOf(other, 'a')];
    const merge = (body: object) => call(studio, '/merge', { method: 'POST', body });
    assert.equal((await merge({ group_ids: [own, foreign] })).status, 404);
    assert.equal((await merge({ group_ids: [own] })).status, 400);
    assert.equal((await merge({ group_ids: [own, own] })).status, 400);
    await report(studio, ['b']);
    const ids = await idsOf(studio, 'a', 'b');
    assert.equal((await merge({ group_ids: ids, into: foreign })).status, 400);
  });
});

describe('a split group', () => {
  const moveAll = async ({ game }: Studio, groupId: string, name: string) =>
    moveSplit(server.ctx, { gameId: game.uid, groupId, name, before: null });
  const places = async (studio: Studio) =>
    (await groupsOf(studio)).map(({ title, count }) => [title, count] as const).sort(([a], [b]) => (a < b ? -1 : 1));

  test('has another group for reports with a function, present and future, until it is undone', async () => {
    const studio = await openStudio();
    for (let count = 0; count < 2; count += 1) await report(studio, ['draw', 'Mod::load', 'main']);
    await report(studio, ['draw', 'main']);
    const [id = ''] = await idsOf(studio, 'draw');
    const split = await post(studio, `/${id}/split`, { function: 'Mod::load' });
    await moveAll(studio, id, 'Mod::load');
    assert.deepEqual(await places(studio), [
      ['draw', 1],
      ['draw (with Mod::load)', 2],
    ]);
    await report(studio, ['draw', 'Mod::load', 'main']);
    await report(studio, ['draw', 'loop']);
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
    await report(studio, ['draw', 'Mod::load', 'main']);
    assert.deepEqual(await places(studio), [['draw', 6]]);
    await undo(studio, undone.change_uid);
    await report(studio, ['draw', 'Mod::load', 'main']);
    assert.deepEqual(await places(studio), [
      ['draw', 3],
      ['draw (with Mod::load)', 4],
    ]);
    const kinds = (await activityOf(studio, id)).map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['split', 'unsplit', 'split']);
  });

  test('can be split again, but not by a function that no report or every report has', async () => {
    const studio = await openStudio();
    await report(studio, ['draw', 'x', 'y']);
    await report(studio, ['draw', 'x']);
    const [id = ''] = await idsOf(studio, 'draw');
    const refused = async (groupId: string, name: string) =>
      (await call(studio, `/${groupId}/split`, { method: 'POST', body: { function: name } })).status;
    assert.equal(await refused(id, 'z'), 400);
    const part = await post(studio, `/${id}/split`, { function: 'x' });
    await moveAll(studio, id, 'x');
    assert.equal(await refused(part.group_id, 'x'), 400);
    await post(studio, `/${part.group_id}/split`, { function: 'y' });
    await moveAll(studio, part.group_id, 'y');
    await report(studio, ['draw', 'y', 'x']);
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
    const studio = await openStudio();
    await report(studio, ['a', 'mod']);
    await report(studio, ['a']);
    await report(studio, ['b', 'mod']);
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
});

describe('a comment', () => {
  test('is added, edited and deleted by its author, and notifies members whom it mentions', async () => {
    const studio = await openStudio(mailing);
    await report(studio, ['Door::open']);
    const [id = ''] = await idsOf(studio, 'Door::open');
    const { owner, admin } = studio.game;
    const comment = 'Looks like the lamp. @Player: seen before?';
    const added = await post(studio, `/${id}/comments`, { comment });
    assert.deepEqual([added.kind, added.comment, added.user_id, added.edited_at], ['comment', comment, owner.id, null]);
    const { text } = await mailTo(mailing, admin.email, /mentioned you/);
    assert.match(text, /Looks like the lamp/);
    assert.equal((await mailsTo(mailing, owner.email)).filter(({ subject }) => /mentioned/.test(subject)).length, 0);
    assert.match(text, new RegExp(`/crashes/groups/${id}`));
    const at = `/${id}/comments/${added.activity_uid}`;
    const edit = (as: Person) => call(studio, at, { method: 'PATCH', body: { comment: 'It is the door.' }, as });
    assert.equal((await edit(admin)).status, 403);
    const edited = await edit(owner);
    assert.deepEqual([edited.body.data.comment, edited.body.data.edited_at === null], ['It is the door.', false]);
    assert.equal((await call(studio, at, { method: 'DELETE', as: admin })).status, 403);
    assert.equal((await call(studio, at, { method: 'DELETE' })).status, 200);
    assert.equal((await call(studio, at, { method: 'DELETE' })).status, 404);
    assert.deepEqual(await activityOf(studio, id), []);
  });

  test('stays with its group when that is merged', async () => {
    const studio = await openStudio();
    for (const name of ['a', 'b']) await report(studio, [name]);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    const { activity_uid } = await post(studio, `/${b}/comments`, { comment: 'About b' });
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    const kinds = (await activityOf(studio, a)).map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['merge', 'comment']);
    const edited = { method: 'PATCH', body: { comment: 'About both' } };
    assert.equal((await call(studio, `/${a}/comments/${activity_uid}`, edited)).status, 200);
  });

  test('of another game is not found', async () => {
    const [studio, other] = [await openStudio(), await openStudio()];
    await report(studio, ['a']);
    await report(other, ['a']);
    const [[id = ''], [foreign = '']] = [await idsOf(studio, 'a'), await idsOf(other, 'a')];
    const { activity_uid } = await post(studio, `/${id}/comments`, { comment: 'Mine' });
    for (const path of [`/${foreign}/comments/${activity_uid}`, `/${id}/comments/${activity_uid}`])
      assert.equal((await call(other, path, { method: 'DELETE' })).status, 404);
    assert.equal((await activityOf(studio, id)).length, 1);
  });
});

test('an assignment is mailed to the assignee', async () => {
  const studio = await openStudio(mailing);
  for (const name of ['a', 'b']) await report(studio, [name]);
  const ids = await idsOf(studio, 'a', 'b');
  await post(studio, '/changes', { group_ids: ids, assignee: studio.game.admin.id });
  const { text } = await mailTo(mailing, studio.game.admin.email, /assigned 2 crashes/);
  for (const id of ids) assert.match(text, new RegExp(id));
});

test('the activity is listed in pages', async () => {
  const studio = await openStudio();
  await report(studio, ['a']);
  const [id = ''] = await idsOf(studio, 'a');
  for (const comment of ['1', '2', '3']) await post(studio, `/${id}/comments`, { comment });
  const first = await done(studio, `/${id}/activity?limit=2`);
  const second = await done(studio, `/${id}/activity?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
  const comments = [...first.activity, ...second.activity].map(({ comment }: { comment: string }) => comment);
  assert.deepEqual([comments, second.next_cursor], [['3', '2', '1'], null]);
});
