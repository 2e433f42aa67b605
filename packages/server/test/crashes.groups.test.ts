// Crash groups on a real server: listed by when they were last seen, with counts; resolved and opened again.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let stranger: Person;
before(async () => {
  server = await startServer({ role: 'api' });
  stranger = await makePlayer(server);
});
after(() => server.stop());

function list(
  game: SharedGame,
  query: Record<string, string> = {},
  person: Person | null = game.owner,
): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/crash-groups?${new URLSearchParams(query)}`);
}

async function titlesOf(game: SharedGame, query: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await list(game, query);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.groups.map(({ title }: { title: string }) => title);
}

function update(
  game: SharedGame,
  groupId: string,
  body: unknown,
  person: Person | null = game.owner,
): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/crash-groups/${groupId}`, { method: 'PATCH', body });
}

/** The context of the server with a clock `days` ago. */
function ago(days: number) {
  const time = new Date(Date.now() - days * DAY);
  return { ...server.ctx, clock: { now: () => time } };
}

describe('the list of groups', () => {
  test('includes the reports of deleted builds in counts', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game);
    await addReport(server.ctx, { game, buildId: build, stack: ['a'] });
    await changed(server.ctx.db, sql`delete from builds where game_id = ${game.uid}`);
    const [group] = (await list(game)).body.data.groups;
    assert.deepEqual(group.builds, [{ build_id: build, version: '', os: '', arch: '', count: 1 }]);
  });

  test('has the most recently seen groups first, with counts by build, OS and day', async () => {
    const game = await makeSharedGame(server);
    const one = await addBuild(server, game);
    const two = await addBuild(server, game, { version: '2.0', os: 'windows' });
    const first = await addReport(ago(40), { game, buildId: one, stack: ['a'] });
    await addReport(ago(3), { game, buildId: one, stack: ['b'] });
    for (let count = 0; count < 2; count += 1) await addReport(ago(1), { game, buildId: two, stack: ['a'] });
    const newest = await addReport(ago(1), { game, buildId: one, stack: ['a'] });
    const { groups, next_cursor } = (await list(game)).body.data;
    assert.deepEqual(
      groups.map(({ title }: { title: string }) => title),
      ['a', 'b'],
    );
    assert.equal(next_cursor, null);
    const [group] = groups;
    assert.equal(group.count, 4);
    assert.deepEqual([group.kind, group.reason, group.status], ['stack', 'SIGSEGV / SEGV_MAPERR', 'open']);
    assert.deepEqual(
      group.builds.toSorted((a: { version: string }, b: { version: string }) => a.version.localeCompare(b.version)),
      [
        { build_id: one, version: '1.0.0', os: 'linux', arch: 'x86_64', count: 2 },
        { build_id: two, version: '2.0', os: 'windows', arch: 'x86_64', count: 2 },
      ],
    );
    assert.deepEqual(group.oses, [
      { os: 'linux', count: 2 },
      { os: 'windows', count: 2 },
    ]);
    // The first report is more than 30 days old.
    assert.deepEqual(group.days, [{ day: new Date(Date.now() - DAY).toISOString().slice(0, 10), count: 3 }]);
    assert.equal(group.first_seen, timeOf(first));
    assert.equal(group.last_seen, timeOf(newest));
  });

  test('has the message and the source line of the newest report, and counts all groups that match', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    await addReport(ago(2), { game, buildId, stack: ['a'], message: 'older' });
    await addReport(ago(1), { game, buildId, stack: ['a'], message: ' car != null \nat /home/ann/garage' });
    await addReport(ago(1), { game, buildId, stack: ['b'] });
    await addReport(ago(1), { game, buildId, message: 'cannot save' });
    const { groups } = (await list(game)).body.data;
    type Shown = { title: string; message: string; culprit: string | null };
    assert.deepEqual(Object.fromEntries(groups.map(({ title, message }: Shown) => [title, message])), {
      a: 'car != null',
      b: '',
      'cannot save': 'cannot save',
    });
    const culprits = Object.fromEntries(groups.map(({ title, culprit }: Shown) => [title, culprit]));
    assert.equal(culprits['cannot save'], null);
    assert.match(culprits.a, /^\S+:\d+$/);
    const count = async (query: string, person: Person | null = game.owner) =>
      callAs(server, person, `/games/${game.uid}/crash-group-counts?${new URLSearchParams({ query })}`);
    assert.deepEqual((await count('is:open')).body.data, { groups: 3, reports: 4 });
    assert.deepEqual((await count('a reports:>1')).body.data, { groups: 1, reports: 2 });
    assert.deepEqual((await count('is:resolved')).body.data, { groups: 0, reports: 0 });
    assert.equal((await count('is:nothing')).status, 400);
    assert.equal((await count('is:open', stranger)).status, 404);
  });

  test('has pages that show no group twice, even if it is seen again meanwhile', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const names = ['g', 'f', 'e', 'd', 'c', 'b', 'a'];
    for (const [index, name] of names.entries())
      await addReport(ago(names.length - index), { game, buildId, stack: [name] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = (await list(game, { limit: '2', ...(cursor !== undefined && { cursor }) })).body;
      seen.push(...data.groups.map(({ title }: { title: string }) => title));
      cursor = data.next_cursor ?? undefined;
      // A group that was shown already, and a new one: both come before the page.
      await addReport(server.ctx, { game, buildId, stack: [seen[0]!] });
      await addReport(server.ctx, { game, buildId, stack: [`new ${seen.length}`] });
    } while (cursor !== undefined);
    assert.deepEqual(seen, names.toReversed());
  });

  test('pages through groups with the same time', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const now = new Date();
    const frozen = { ...server.ctx, clock: { now: () => now } };
    for (const name of ['a', 'b', 'c', 'd']) await addReport(frozen, { game, buildId, stack: [name] });
    const first = (await list(game, { limit: '3' })).body.data;
    const second = (await list(game, { limit: '3', cursor: first.next_cursor })).body.data;
    const titles = [...first.groups, ...second.groups].map(({ title }: { title: string }) => title);
    assert.deepEqual(titles.toSorted(), ['a', 'b', 'c', 'd']);
  });

  test('filters by build and by status', async () => {
    const game = await makeSharedGame(server);
    const [one, two] = [await addBuild(server, game), await addBuild(server, game, { version: '2.0' })];
    await addReport(server.ctx, { game, buildId: one, stack: ['a'] });
    await addReport(server.ctx, { game, buildId: two, stack: ['a'] });
    await addReport(server.ctx, { game, buildId: two, stack: ['b'] });
    assert.deepEqual(await titlesOf(game, { build_id: one }), ['a']);
    assert.deepEqual((await titlesOf(game, { build_id: two })).toSorted(), ['a', 'b']);
    assert.deepEqual(await titlesOf(game, { build_id: newId() }), []);
    const { group_id } = (await list(game, { build_id: one })).body.data.groups[0];
    await update(game, group_id, { status: 'resolved' });
    assert.deepEqual(await titlesOf(game, { status: 'resolved' }), ['a']);
    assert.deepEqual(await titlesOf(game, { status: 'open' }), ['b']);
    assert.deepEqual(await titlesOf(game, { status: 'open', build_id: one }), []);
  });

  test('refuses a cursor of the list of reports with 4002', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    for (const name of ['a', 'b']) await addReport(server.ctx, { game, buildId, stack: [name] });
    const reports = await callAs(server, game.owner, `/games/${game.uid}/crashes?limit=1`);
    assert.deepEqual(statusOf(await list(game, { cursor: reports.body.data.next_cursor })), [400, 4002]);
  });

  test('is only visible to members of the game, as is a single group', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    await addReport(server.ctx, { game, buildId: await addBuild(server, game), stack: ['a'] });
    const { group_id } = (await list(game, {}, game.admin)).body.data.groups[0];
    const getOne = (person: Person | null, uid = game.uid) =>
      callAs(server, person, `/games/${uid}/crash-groups/${group_id}`);
    assert.equal((await getOne(game.admin)).status, 200);
    for (const person of [stranger, other.owner]) {
      assert.deepEqual(statusOf(await list(game, {}, person)), [404, 4040]);
      assert.deepEqual(statusOf(await getOne(person)), [404, 4040]);
      assert.deepEqual(statusOf(await update(game, group_id, { status: 'resolved' }, person)), [404, 4040]);
    }
    for (const response of [await list(game, {}, null), await getOne(null)])
      assert.deepEqual(statusOf(response), [401, 4011]);
    assert.deepEqual(statusOf(await getOne(other.owner, other.uid)), [404, 4040]);
    assert.deepEqual(statusOf(await update(other, group_id, { status: 'resolved' })), [404, 4040]);
    assert.equal((await getOne(game.owner)).body.data.status, 'open');
  });
});

describe('a group', () => {
  let game: SharedGame;
  let groupId: string;
  before(async () => {
    game = await makeSharedGame(server);
    await addReport(server.ctx, { game, buildId: await addBuild(server, game), stack: ['a'] });
    groupId = (await list(game)).body.data.groups[0].group_id;
  });

  test('explains how its signature was made', async () => {
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${groupId}`);
    assert.deepEqual(body.data.explanation, ['took a']);
  });

  test('can be resolved as fixed in a version and opened again, both repeatedly', async () => {
    for (let time = 0; time < 2; time += 1) {
      const { data } = (await update(game, groupId, { status: 'resolved', fixed_in_version: '2.0' }, game.admin)).body;
      assert.deepEqual([data.status, data.fixed_in_version, data.regressed_at], ['resolved', '2.0', null]);
    }
    for (let time = 0; time < 2; time += 1) {
      const { data } = (await update(game, groupId, { status: 'open' })).body;
      assert.deepEqual([data.status, data.fixed_in_version, data.regressed_at], ['open', null, null]);
    }
  });

  test('stays resolved for earlier builds, and is a regression in a later one', async () => {
    const own = await makeSharedGame(server);
    const old = await addBuild(server, own);
    await addReport(server.ctx, { game: own, buildId: old, stack: ['a'] });
    const id: string = (await list(own)).body.data.groups[0].group_id;
    await update(own, id, { status: 'resolved' });
    await addReport(server.ctx, { game: own, buildId: old, stack: ['a'] });
    assert.equal((await list(own)).body.data.groups[0].status, 'resolved');
    await addReport(server.ctx, { game: own, buildId: await addBuild(server, own, { version: '2.0' }), stack: ['a'] });
    const [group] = (await list(own)).body.data.groups;
    assert.equal(group.status, 'open');
    assert.ok(!Number.isNaN(Date.parse(group.regressed_at)));
    assert.equal((await update(own, id, { status: 'resolved' })).body.data.regressed_at, null);
  });

  test('refuses invalid changes with 4002, and unknown groups with 4040', async () => {
    const wrong = [
      { status: 'open', fixed_in_version: '2.0' },
      { status: 'gone' },
      { status: 'resolved', fixed_in_version: '' },
    ];
    for (const body of wrong)
      assert.deepEqual(statusOf(await update(game, groupId, body)), [400, 4002], JSON.stringify(body));
    for (const status of ['open', 'resolved'])
      assert.deepEqual(statusOf(await update(game, newId(), { status })), [404, 4040]);
  });
});

/** The time at the start of a report's id. */
function timeOf(reportId: string): string {
  return new Date(Number.parseInt(reportId.replace('-', '').slice(0, 12), 16)).toISOString();
}
