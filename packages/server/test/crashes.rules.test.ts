// A game's own grouping rules: previewed on the newest reports, saved, and applied to all reports.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { regroupReports } from '../src/crash/crashes/process/regroup.job.ts';
import { readDumpFixture, readSymbolFixture, reportCrash, untilDone } from './setup/crash-dumps.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { makeGame, makePlayer, signIn, startServer, type TestServer } from './setup/server.ts';
import { addSymbols, untilCompiled } from './setup/symbols.ts';
import { register } from './setup/uploads.ts';

/** Runs no jobs: the tests do. */
let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

type Rule = { frames: string; effect: string };
type GroupedGame = { game: SharedGame; buildId: string };

async function makeGroupedGame(...stacks: string[][]): Promise<GroupedGame> {
  const game = await makeSharedGame(server);
  const buildId = await addBuild(server, game);
  for (const stack of stacks) await addReport(server.ctx, { game, buildId, stack });
  return { game, buildId };
}

const rulesOf = ({ game }: GroupedGame, method = 'GET', rules?: readonly Rule[], as: Person | null = game.owner) =>
  callAs(server, as, `/games/${game.uid}/grouping-rules`, { method, ...(rules !== undefined && { body: { rules } }) });
const preview = async ({ game }: GroupedGame, ...rules: Rule[]) => {
  const path = `/games/${game.uid}/grouping-rules/preview`;
  const { status, body } = await callAs(server, game.owner, path, { method: 'POST', body: { rules } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};

async function apply(studio: GroupedGame, ...rules: Rule[]): Promise<void> {
  const { status, body } = await rulesOf(studio, 'PUT', rules);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.data.regrouping, true);
  await regroupReports(server.ctx, { gameId: studio.game.uid, before: null });
}

async function groupsOf({ game }: GroupedGame): Promise<[title: string, count: number][]> {
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups`);
  return body.data.groups
    .map(({ title, count }: { title: string; count: number }) => [title, count])
    .sort(([a]: [string], [b]: [string]) => (a < b ? -1 : 1));
}

const LOGGED = [
  ['Log::fatal', 'Door::open', 'main'],
  ['Log::fatal', 'Door::open', 'loop'],
  ['Log::fatal', 'Lamp::on', 'main'],
];

describe('the grouping rules of a game', () => {
  test('are applied to existing reports when they are saved, and again when they change', async () => {
    const studio = await makeGroupedGame(...LOGGED);
    assert.deepEqual(await groupsOf(studio), [['Log::fatal', 3]]);
    await apply(studio, { frames: 'Log::*', effect: 'irrelevant' });
    assert.deepEqual(await groupsOf(studio), [
      ['Door::open', 2],
      ['Lamp::on', 1],
    ]);
    await apply(studio, { frames: 'Log::*', effect: 'prefix' });
    assert.deepEqual(await groupsOf(studio), [
      ['Log::fatal | Door::open', 2],
      ['Log::fatal | Lamp::on', 1],
    ]);
    await apply(studio);
    assert.deepEqual(await groupsOf(studio), [['Log::fatal', 3]]);
    const { rules, changed_by } = (await rulesOf(studio)).body.data;
    assert.deepEqual([rules, changed_by], [[], 'Player']);
  });

  test('say where a stack begins and ends', async () => {
    const studio = await makeGroupedGame(['report', 'Handler::run', 'memcpy', 'Door::open']);
    await apply(studio, { frames: 'Handler::*', effect: 'top' });
    assert.deepEqual(await groupsOf(studio), [['Handler::run', 1]]);
    await apply(studio, { frames: 'report', effect: 'irrelevant' }, { frames: 'Handler::*', effect: 'irrelevant' });
    // By the rules that are built in, memcpy counts together with the next frame.
    assert.deepEqual(await groupsOf(studio), [['memcpy | Door::open', 1]]);
    await apply(studio, { frames: 'memcpy', effect: 'end' }, { frames: '*r*', effect: 'irrelevant' });
    assert.deepEqual(await groupsOf(studio), [['memcpy', 1]]);
  });

  test('are explained in the group', async () => {
    const studio = await makeGroupedGame(...LOGGED);
    await apply(studio, { frames: 'Log::*', effect: 'irrelevant' });
    const { body } = await callAs(server, studio.game.owner, `/games/${studio.game.uid}/crash-groups`);
    const path = `/games/${studio.game.uid}/crash-groups/${body.data.groups[0].group_id}`;
    const { explanation } = (await callAs(server, studio.game.owner, path)).body.data;
    assert.ok(
      explanation.some((note: string) => note.includes('rule of this game: Log::*')),
      explanation.join('\n'),
    );
  });

  test('are previewed without being saved', async () => {
    const studio = await makeGroupedGame(...LOGGED);
    await apply(studio, { frames: 'Nothing::*', effect: 'irrelevant' });
    const before_ = await groupsOf(studio);
    const same = await preview(studio, { frames: 'Nothing::*', effect: 'irrelevant' });
    assert.deepEqual([same.reports, same.groups_before, same.groups_after], [3, 1, 1]);
    const { reports, moved, groups_before, groups_after, moves } = await preview(studio, {
      frames: 'Log::*',
      effect: 'irrelevant',
    });
    assert.deepEqual([reports, moved, groups_before, groups_after], [3, 3, 1, 2]);
    assert.deepEqual(
      moves.map(({ from, to, reports: count }: Move) => [from.title, to.title, to.group_id, count]),
      [
        ['Log::fatal', 'Door::open', null, 2],
        ['Log::fatal', 'Lamp::on', null, 1],
      ],
    );
    assert.deepEqual(await groupsOf(studio), before_);
  });

  test('keep the state of a group whose reports move', async () => {
    const studio = await makeGroupedGame(...LOGGED);
    const { body } = await callAs(server, studio.game.owner, `/games/${studio.game.uid}/crash-groups`);
    const path = `/games/${studio.game.uid}/crash-groups/${body.data.groups[0].group_id}`;
    const change = { status: 'ignored', priority: 'low', assignee: studio.game.admin.id };
    await callAs(server, studio.game.owner, path, { method: 'PATCH', body: change });
    await apply(studio, { frames: 'Log::*', effect: 'irrelevant' });
    const { groups } = (
      await callAs(server, studio.game.owner, `/games/${studio.game.uid}/crash-groups?status=ignored`)
    ).body.data;
    const moved = groups.filter(({ title }: { title: string }) => title !== 'Log::fatal');
    assert.deepEqual(
      moved.map(({ priority, assignee }: { priority: string; assignee: { user_id: string } }) => [
        priority,
        assignee.user_id,
      ]),
      [
        ['low', studio.game.admin.id],
        ['low', studio.game.admin.id],
      ],
    );
  });

  test('are limited, and only for members', async () => {
    const studio = await makeGroupedGame();
    for (const rules of [
      [{ frames: '', effect: 'irrelevant' }],
      [{ frames: '***', effect: 'irrelevant' }],
      [{ frames: 'a'.repeat(256), effect: 'irrelevant' }],
      [{ frames: 'a', effect: 'delete' }],
      [{ frames: 'a' }],
      Array.from({ length: 101 }, (_, index) => ({ frames: `a${index}`, effect: 'irrelevant' })),
    ] as Rule[][])
      assert.equal((await rulesOf(studio, 'PUT', rules)).status, 400, JSON.stringify(rules).slice(0, 80));
    const stranger = await makePlayer(server);
    assert.equal((await rulesOf(studio, 'GET', undefined, stranger)).status, 404);
    assert.equal((await rulesOf(studio, 'PUT', [], stranger)).status, 404);
    assert.equal((await rulesOf(studio, 'GET', undefined, null)).status, 401);
    assert.deepEqual(await preview(studio), { reports: 0, moved: 0, groups_before: 0, groups_after: 0, moves: [] });
  });
});

type Move = {
  from: { group_id: string | null; title: string };
  to: { group_id: string | null; title: string };
  reports: number;
};

test('a dump that arrives later is grouped by the rules', async () => {
  const working = await startServer();
  try {
    const game = await makeGame(working);
    const owner = await signIn(working, game.owner);
    const buildId = await register(working, game);
    await addSymbols(working, game, buildId, readSymbolFixture('null_deref_inline'));
    await untilCompiled(working, game, buildId);
    const rules = [{ frames: 'render::measure', effect: 'irrelevant' }];
    const asOwner = { headers: owner, id: game.owner.id, email: game.owner.email };
    await callAs(working, asOwner, `/games/${game.uid}/grouping-rules`, { method: 'PUT', body: { rules } });
    const dump = readDumpFixture('null_deref_inline');
    const { group_id } = await untilDone(working, await reportCrash(working, game, buildId, { dump }));
    const { body } = await callAs(working, asOwner, `/games/${game.uid}/crash-groups/${group_id}`);
    assert.notEqual(body.data.title, 'render::measure');
    const ignored = 'skipped `render::measure`: irrelevant (rule of this game: render::measure)';
    assert.ok(
      body.data.explanation.some((note: string) => note.includes(ignored)),
      body.data.explanation.join('\n'),
    );
  } finally {
    await working.stop();
  }
});
