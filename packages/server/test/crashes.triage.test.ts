// Triage of crash groups on a real server: changes with undo, snoozes, comments and their mails.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { raiseCrashAlerts } from '../src/crash/crashes/alerts/alerts.job.ts';
import { DAY, HOUR } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { countUse } from '../src/kernel/limits/rate-limit.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addBuild, type Person } from './setup/crash-reports.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';
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

/** Runs no jobs: the tests do. */
let server: TestServer;
let mailing: TestServer;
before(async () => {
  [server, mailing] = await Promise.all([startServer({ role: 'api' }), startServer()]);
});
after(() => Promise.all([server.stop(), mailing.stop()]));

describe('a change of a group', () => {
  test('sets the status, the assignee, the priority, the title and the issue, and can be undone', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['Door::open']);
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
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b', 'c']) await addCrash(studio, [name]);
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
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    assert.equal((await patch(studio, id, { status: 'open', priority: null })).change_uid, null);
    assert.equal((await patch(studio, id, {})).change_uid, null);
    assert.deepEqual(await activityOf(studio, id), []);
  });

  test('is refused for fields that do not go together, and for people who are not members', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
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
      { title: '  ' },
      { title: 'two\nlines' },
      { title: 'a\u202eb' },
      { issue_url: 'javascript:alert(1)' },
      { issue_url: 'https://[::' },
      { issue_url: 'https://' },
      { status: 'snoozed', snooze: { until: '2999-01-01T23:59:60Z' } },
    ]) {
      const { status, body: response } = await call(studio, `/${id}`, { method: 'PATCH', body });
      assert.deepEqual([status, response.error?.code], [400, 4002], JSON.stringify(body));
    }
    assert.deepEqual(await activityOf(studio, id), []);
  });

  test('is only for members, of groups of their game', async () => {
    const [studio, other] = [await makeTriagedGame(server), await makeTriagedGame(server)];
    await addCrash(studio, ['a']);
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
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
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
  const snooze = async (studio: TriagedGame, id: string, how: object) =>
    patch(studio, id, { status: 'snoozed', snooze: how });
  const statusOf = async (studio: TriagedGame, id: string) => (await done(studio, `/${id}`)).status;
  const alertsOf = async ({ game }: TriagedGame) =>
    (
      await rows(
        server.ctx.db,
        sql<{ kind: string }>`delete from alerts where game_id = ${game.uid} and kind <> 'first_crash' returning kind`,
      )
    ).map(({ kind }) => kind);

  test('opens after a number of reports, with an alert', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    await raiseCrashAlerts(server.ctx);
    await alertsOf(studio);
    const snoozed = await snooze(studio, id, { reports: 2 });
    assert.deepEqual(snoozed.snooze, { until: null, reports: 2, next_build: false });
    await addCrash(studio, ['a']);
    assert.deepEqual((await done(studio, `/${id}`)).snooze.reports, 1);
    await raiseCrashAlerts(server.ctx);
    assert.deepEqual(await alertsOf(studio), []);
    await addCrash(studio, ['a']);
    assert.equal(await statusOf(studio, id), 'open');
    await raiseCrashAlerts(server.ctx);
    assert.deepEqual(await alertsOf(studio), ['snooze_ended']);
    const [reopened, made] = await activityOf(studio, id);
    assert.deepEqual([reopened.kind, reopened.user_id, reopened.before.status], ['reopen', null, 'snoozed']);
    assert.deepEqual(made.after.snooze, { until: null, reports: 2, next_build: false });
  });

  test('opens with a report of a build that is newer than the snooze', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
    const [id = ''] = await idsOf(studio, 'a');
    await snooze(studio, id, { next_build: true, reports: 1000 });
    await addCrash(studio, ['a']);
    assert.equal(await statusOf(studio, id), 'snoozed');
    const next = await addBuild(server, studio.game, { version: '1.1.0' });
    await addCrash(studio, ['a'], next);
    assert.equal(await statusOf(studio, id), 'open');
    assert.equal((await done(studio, `/${id}`)).regressed_at, null);
  });

  test('opens at a time', async () => {
    const studio = await makeTriagedGame(server);
    await addCrash(studio, ['a']);
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
  const studio = await makeTriagedGame(server);
  await addCrash(studio, ['a']);
  const [id = ''] = await idsOf(studio, 'a');
  await patch(studio, id, { status: 'ignored' });
  const next = await addBuild(server, studio.game, { version: '1.1.0' });
  for (let count = 0; count < 40; count += 1) await addCrash(studio, ['a'], next);
  await raiseCrashAlerts(server.ctx);
  const raised = await rows(
    server.ctx.db,
    sql<{ kind: string }>`select kind from alerts where game_id = ${studio.game.uid} and kind <> 'first_crash'`,
  );
  assert.deepEqual(raised, []);
  assert.deepEqual(
    (await listedGroups(studio, '?status=ignored')).map(({ count }) => count),
    [41],
  );
  assert.deepEqual(await listedGroups(studio, '?status=open'), []);
});

describe('a comment', () => {
  test('is added, edited and deleted by its author, and notifies members whom it mentions', async () => {
    const studio = await makeTriagedGame(mailing);
    await addCrash(studio, ['Door::open']);
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
    const studio = await makeTriagedGame(server);
    for (const name of ['a', 'b']) await addCrash(studio, [name]);
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    const { activity_uid } = await post(studio, `/${b}/comments`, { comment: 'About b' });
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    const kinds = (await activityOf(studio, a)).map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['merge', 'comment']);
    const edited = { method: 'PATCH', body: { comment: 'About both' } };
    assert.equal((await call(studio, `/${a}/comments/${activity_uid}`, edited)).status, 200);
  });

  test('of another game is not found', async () => {
    const [studio, other] = [await makeTriagedGame(server), await makeTriagedGame(server)];
    await addCrash(studio, ['a']);
    await addCrash(other, ['a']);
    const [[id = ''], [foreign = '']] = [await idsOf(studio, 'a'), await idsOf(other, 'a')];
    const { activity_uid } = await post(studio, `/${id}/comments`, { comment: 'Mine' });
    for (const path of [`/${foreign}/comments/${activity_uid}`, `/${id}/comments/${activity_uid}`])
      assert.equal((await call(other, path, { method: 'DELETE' })).status, 404);
    assert.equal((await activityOf(studio, id)).length, 1);
  });
});

test('an assignment is mailed to the assignee', async () => {
  const studio = await makeTriagedGame(mailing);
  for (const name of ['a', 'b']) await addCrash(studio, [name]);
  const ids = await idsOf(studio, 'a', 'b');
  await post(studio, '/changes', { group_ids: ids, assignee: studio.game.admin.id });
  const { text } = await mailTo(mailing, studio.game.admin.email, /assigned 2 crashes/);
  for (const id of ids) assert.match(text, new RegExp(id));
});

test('the activity is listed in pages', async () => {
  const studio = await makeTriagedGame(server);
  await addCrash(studio, ['a']);
  const [id = ''] = await idsOf(studio, 'a');
  for (const comment of ['1', '2', '3']) await post(studio, `/${id}/comments`, { comment });
  const first = await done(studio, `/${id}/activity?limit=2`);
  const second = await done(studio, `/${id}/activity?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
  const comments = [...first.activity, ...second.activity].map(({ comment }: { comment: string }) => comment);
  assert.deepEqual([comments, second.next_cursor], [['3', '2', '1'], null]);
});

test('mentions and assignments are limited, and what is refused changes nothing', async () => {
  const studio = await makeTriagedGame(server);
  await addCrash(studio, ['a']);
  const [id = ''] = await idsOf(studio, 'a');
  const now = new Date();
  const frozen = { ...server.ctx, clock: { now: () => now } };
  const limit = { name: 'mentions and assignments', scope: 'account', max: 200, windowSeconds: 3600 } as const;
  for (let used = 0; used < 200; used += 1) await countUse(frozen, server.ctx.db, studio.game.owner.id, limit);
  const comment = { method: 'POST', body: { comment: '@Player, look' } };
  const refused = [
    await call(studio, `/${id}/comments`, comment),
    await call(studio, `/${id}`, { method: 'PATCH', body: { assignee: studio.game.admin.id } }),
  ];
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.error?.code]),
    [
      [429, 4290],
      [429, 4290],
    ],
  );
  assert.deepEqual(await activityOf(studio, id), []);
  assert.equal((await done(studio, `/${id}`)).assignee, null);
  await post(studio, `/${id}/comments`, { comment: 'No one is mentioned here.' });
});
