// The query language of crash groups and reports, on a real database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { addBuild, addReport, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let game: SharedGame;
before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeSharedGame(server);
  const [old, fixed, candidate] = [
    await addBuild(server, game, { version: '1.9.0' }),
    await addBuild(server, game, { version: '1.10.0', os: 'windows' }),
    await addBuild(server, game, { version: '2.0.0-rc.1' }),
  ];
  const at = (days: number) => ({ ...server.ctx, clock: { now: () => new Date(Date.now() - days * DAY) } });
  const gpu = (name: string) => ({ gpu: name, level: 3 });
  await addReport(at(40), {
    game,
    buildId: old,
    os: 'linux',
    stack: ['render::draw', 'main'],
    metadata: gpu('RTX 3060'),
  });
  await addReport(at(2), { game, buildId: fixed, os: 'windows', stack: ['render::draw'], metadata: gpu('GTX 1080') });
  await addReport(at(2), { game, buildId: fixed, os: 'windows', stack: ['Door::open', 'render::draw', 'main'] });
  await addReport(at(1), { game, buildId: candidate, os: 'linux', stack: ['Lamp::on'], user_message: 'It went dark' });
  await addReport(at(0), { game, buildId: candidate, os: 'linux', message: 'out of memory' });
  const { body } = await call('/crash-groups');
  const idOf = (title: string) =>
    body.data.groups.find((group: { title: string }) => group.title === title).group_id as string;
  const change = (id: string, changes: object) => call(`/crash-groups/${id}`, { method: 'PATCH', body: changes });
  await change(idOf('render::draw'), { priority: 'high', assignee: game.owner.id });
  await change(idOf('Door::open'), { status: 'ignored', title: 'Doors 100%' });
  await change(idOf('Lamp::on'), { status: 'resolved', issue_url: 'https://example.com/1', assignee: game.admin.id });
});
after(() => server.stop());

const call = (path: string, options: { method?: string; body?: unknown } = {}) =>
  callAs(server, game.owner, `/games/${game.uid}${path}`, options);

async function titlesOf(list: 'crash-groups' | 'crashes', query: string, more: Record<string, string> = {}) {
  const { status, body } = await call(`/${list}?${new URLSearchParams({ query, ...more })}`);
  assert.equal(status, 200, JSON.stringify(body));
  const found = list === 'crash-groups' ? body.data.groups : body.data.crashes;
  return found.map(({ title }: { title: string }) => title).sort();
}

const [DRAW, DOORS, LAMP, MEMORY] = ['render::draw', 'Doors 100%', 'Lamp::on', 'out of memory'];

const GROUPS: readonly (readonly [query: string, titles: readonly (string | undefined)[]])[] = [
  ['is:open', [DRAW, MEMORY]],
  ['is:resolved,ignored', [LAMP, DOORS]],
  ['-is:open', [LAMP, DOORS]],
  ['is:assigned', [DRAW, LAMP]],
  ['is:unassigned is:open', [MEMORY]],
  ['is:linked', [LAMP]],
  ['is:merged', []],
  ['is:new', [MEMORY]],
  ['is:regressed', []],
  ['assigned:me', [DRAW]],
  ['assigned:Player', [DRAW, LAMP]],
  ['assigned:nora', []],
  ['priority:high', [DRAW]],
  ['priority:none -is:ignored', [LAMP, MEMORY]],
  ['os:windows', [DRAW, DOORS]],
  ['os:win', [DRAW, DOORS]],
  ['os:linux', [DRAW, LAMP, MEMORY]],
  ['-os:windows', [LAMP, MEMORY]],
  ['os:lin*', [DRAW, LAMP, MEMORY]],
  // Not what every object in JavaScript has.
  ['os:constructor,__proto__', []],
  ['arch:constructor,__proto__', []],
  ['version:>=1.10', [DRAW, DOORS, LAMP, MEMORY]],
  ['version:<1.10', [DRAW]],
  ['version:1.9', [DRAW]],
  ['version:2.0.0', []],
  ['version:2*', [LAMP, MEMORY]],
  // The report of 1.9.0 is from Linux.
  ['version:1.9.0 os:windows', []],
  ['version:1.10.0 os:windows', [DRAW, DOORS]],
  ['arch:x64', [DRAW, DOORS, LAMP, MEMORY]],
  ['arch:arm64', []],
  ['reason:sigsegv*', [DRAW, DOORS, LAMP]],
  ['reason:SIGSEGV', []],
  ['reports:>1', [DRAW]],
  ['reports:1', [DOORS, LAMP, MEMORY]],
  ['first:<7d', [DOORS, LAMP, MEMORY]],
  ['first:>7d', [DRAW]],
  ['last:<36h', [LAMP, MEMORY]],
  ['render::', [DRAW, DOORS]],
  ['RENDER::DRAW', [DRAW, DOORS]],
  ['-render::', [LAMP, MEMORY]],
  ['"100%"', [DOORS]],
  ['%', [DOORS]],
  ['door::open', [DOORS]],
  ['_', []],
  ['main is:open', [DRAW]],
];

describe('a query of groups', () => {
  for (const [query, titles] of GROUPS)
    test(`${query} finds ${titles.length}`, async () => {
      assert.deepEqual(await titlesOf('crash-groups', query), [...titles].sort());
    });

  test('of builds and OSes that most groups have checks the groups in order', async () => {
    const many = { version: '3.0.0', os: 'web' } as const;
    const buildId = await addBuild(server, game, many);
    await addReport(server.ctx, { game, buildId, os: 'web', message: 'Out of memory in a browser' });
    // More counts than are read at once, of a group that has reports from one OS.
    await sql`insert into crash_group_totals (game_id, group_id, build_id, os, count)
      select game_id, group_id, gen_random_uuid(), 'web', 1 from crash_groups, generate_series(1, 2001)
      where game_id = ${game.uid} and title = 'Out of memory in a browser'`.execute(server.ctx.db);
    for (const query of ['os:web', 'os:we*', 'os:web version:3.0.0', 'os:web is:open -os:windows'])
      assert.deepEqual(await titlesOf('crash-groups', query), ['Out of memory in a browser'], query);
    assert.deepEqual(await titlesOf('crash-groups', '-os:web'), [DRAW, DOORS, LAMP, MEMORY].sort());
    assert.deepEqual(await titlesOf('crash-groups', 'os:web version:1.9.0'), []);
    const { body } = await call('/crash-groups');
    const [head, member] = [MEMORY, 'Out of memory in a browser'].map(
      (title) => body.data.groups.find((group: { title: string }) => group.title === title).group_id,
    );
    const merge = { group_ids: [head, member], into: head };
    const merged = await call('/crash-groups/merge', { method: 'POST', body: merge });
    assert.deepEqual(await titlesOf('crash-groups', 'os:web'), [MEMORY]);
    assert.deepEqual(await titlesOf('crash-groups', '-os:web'), [DRAW, DOORS, LAMP].sort());
    await call(`/crash-groups/changes/${merged.body.data.change_uid}/undo`, { method: 'POST', body: {} });
    await sql`delete from crash_reports where game_id = ${game.uid} and os = 'web'`.execute(server.ctx.db);
    await sql`delete from crash_groups where game_id = ${game.uid} and title = 'Out of memory in a browser'`.execute(
      server.ctx.db,
    );
  });

  test('with a merge finds the group by each of its members', async () => {
    const { body } = await call('/crash-groups');
    const idOf = (title: string) => body.data.groups.find((group: { title: string }) => group.title === title).group_id;
    const ids = [idOf(LAMP!), idOf(MEMORY!)];
    const merged = await call('/crash-groups/merge', { method: 'POST', body: { group_ids: ids, into: ids[0] } });
    assert.deepEqual(await titlesOf('crash-groups', 'is:merged'), [LAMP]);
    assert.deepEqual(await titlesOf('crash-groups', 'reports:2 os:linux version:2*'), [LAMP]);
    assert.deepEqual(await titlesOf('crashes', 'is:merged'), [LAMP, MEMORY]);
    for (const [query, titles] of GROUPS.filter(([each]) => /^(os|render|-is|priority:h)/.test(each)))
      assert.deepEqual(await titlesOf('crash-groups', query), titles.filter((title) => title !== MEMORY).sort(), query);
    const { change_uid } = merged.body.data;
    await call(`/crash-groups/changes/${change_uid}/undo`, { method: 'POST', body: {} });
  });
});

const REPORTS: readonly (readonly [query: string, titles: readonly (string | undefined)[]])[] = [
  ['os:windows', [DRAW, 'Door::open']],
  ['version:>=2.0.0-rc.1', [LAMP, MEMORY]],
  // Several builds, OSes and groups, of which each has its newest reports.
  ['version:<=1.10', [DRAW, DRAW, 'Door::open']],
  ['version:9', []],
  ['os:win*,linux -is:open', ['Door::open', LAMP]],
  ['os:constructor,__proto__', []],
  ['is:assigned version:1.9.0,1.10.0', [DRAW, DRAW]],
  ['first:<36h', [LAMP, MEMORY]],
  ['metadata.gpu:"RTX 3060"', [DRAW]],
  ['metadata.GPU:rtx*', [DRAW]],
  ['metadata.level:3', [DRAW, DRAW]],
  ['-metadata.level:3 is:open', [MEMORY]],
  ['metadata.none:*', []],
  ['message:dark', [LAMP]],
  ['message:memory', [MEMORY]],
  ['-message:memory -is:resolved -render::draw', []],
  ['render::', [DRAW, DRAW, 'Door::open']],
  ['render:: main', [DRAW, 'Door::open']],
  ['render:: -main', [DRAW]],
  ['is:ignored', ['Door::open']],
  ['assigned:me is:open', [DRAW, DRAW]],
  ['priority:high os:windows', [DRAW]],
  ['last:>7d', [DRAW]],
  ['reason:SIGSEGV* -is:open', ['Door::open', LAMP]],
];

describe('a query of reports', () => {
  for (const [query, titles] of REPORTS)
    test(`${query} finds ${titles.length}`, async () => {
      assert.deepEqual(await titlesOf('crashes', query), [...titles].sort());
    });

  test('is combined with the other filters', async () => {
    assert.deepEqual(await titlesOf('crashes', 'is:open', { os: 'windows', frame: 'draw' }), [DRAW]);
    assert.deepEqual(await titlesOf('crash-groups', 'os:linux', { status: 'open' }), [DRAW, MEMORY].sort());
  });
});

test('a wrong query is refused with what is wrong', async () => {
  for (const [list, query, message] of [
    ['crash-groups', 'prio:high', /query: There is no filter “prio”.* See “prio:high”/],
    ['crash-groups', 'is:open message:x', /“message” is a filter of reports/],
    ['crash-groups', 'message:x', /is a filter of reports/],
    ['crashes', 'os:"x', /Close the quote/],
    ['crashes', 'a '.repeat(21), /at most 20/],
    ['crashes', 'x'.repeat(1001), /query/],
    ['crashes', '\u0000', /query/],
  ] as const) {
    const { status, body } = await call(`/${list}?${new URLSearchParams({ query })}`);
    assert.deepEqual([status, body.error?.code], [400, 4002], query.slice(0, 40));
    assert.match(body.error?.message ?? '', message);
  }
});

test('groups are sorted by reports or by when they were first seen, in pages', async () => {
  for (const [sort, titles] of [
    ['reports', [DRAW]],
    ['first_seen', [MEMORY, LAMP, DOORS, DRAW]],
    ['last_seen', [MEMORY, LAMP, DOORS, DRAW]],
  ] as const) {
    const listed: string[] = [];
    let cursor = '';
    do {
      const page = await call(`/crash-groups?sort=${sort}&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      listed.push(...page.body.data.groups.map(({ title }: { title: string }) => title));
      cursor = page.body.data.next_cursor ?? '';
    } while (cursor !== '');
    assert.equal(new Set(listed).size, 4);
    assert.deepEqual(listed.slice(0, titles.length), titles);
  }
});

describe('a saved search', () => {
  const saved = async () => (await call('/crash-searches')).body.data.searches;
  const save = (search: object) => call('/crash-searches', { method: 'POST', body: search });

  test('is shared by the members, replaced by its name, and deleted', async () => {
    const search = { name: ' Windows ', query: 'os:windows', view: 'groups' };
    const { status, body } = await save(search);
    assert.deepEqual([status, body.data.name, body.data.query], [201, 'Windows', 'os:windows']);
    await save({ ...search, query: 'os:windows is:open', view: 'reports' });
    const path = `/games/${game.uid}/crash-searches`;
    const { searches } = (await callAs(server, game.admin, path)).body.data;
    assert.deepEqual(searches, [{ ...body.data, query: 'os:windows is:open', view: 'reports' }]);
    assert.equal(body.data.kind, 'crash');
    await save({ ...search, kind: 'error' });
    assert.deepEqual(await saved(), [{ ...body.data, kind: 'error' }]);
    const at = `/crash-searches/${body.data.search_uid}`;
    assert.equal((await call(at, { method: 'DELETE' })).status, 200);
    assert.equal((await call(at, { method: 'DELETE' })).status, 404);
    assert.deepEqual(await saved(), []);
  });

  test('must be a query, and a game has at most a hundred', async () => {
    for (const search of [
      { name: 'a', query: 'prio:x', view: 'groups' },
      { name: ' ', query: 'is:open', view: 'groups' },
      { name: 'a', query: '', view: 'groups' },
      { name: 'a', query: 'is:open', view: 'tables' },
      { name: 'a', query: 'is:open', view: 'groups', kind: 'message' },
    ])
      assert.equal((await save(search)).status, 400, JSON.stringify(search));
    const names = Array.from({ length: 104 }, (_, index) => `Search ${index}`);
    const statuses = await Promise.all(
      names.map(async (name) => (await save({ name, query: 'is:open', view: 'groups' })).status),
    );
    assert.equal(statuses.filter((status) => status === 201).length, 100);
    assert.equal((await saved()).length, 100);
  });

  test('of another game is not found', async () => {
    const other = await makeSharedGame(server);
    const [search] = await saved();
    const path = `/games/${other.uid}/crash-searches/${search.search_uid}`;
    assert.equal((await callAs(server, other.owner, path, { method: 'DELETE' })).status, 404);
    assert.equal((await callAs(server, other.owner, `/games/${game.uid}/crash-searches`)).status, 404);
  });
});
