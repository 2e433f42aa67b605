// What crash pages read on a real server: the whole stack of a dump, the end of a log, similar groups, and missing
// symbols.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { DAY } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { readDumpFixture, readSymbolFixture, reportCrash, reportRow, untilDone } from './setup/crash-dumps.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { addSymbols, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const DUMP = readDumpFixture('null_deref_inline');
const SYMBOLS = readSymbolFixture('null_deref_inline');
const OTHER_DUMP = readDumpFixture('nosym_middle');

/** A server without a worker, for reports without a dump. */
let server: TestServer;
/** A server that processes dumps. */
let walking: TestServer;
let stranger: Person;
before(async () => {
  [server, walking] = await Promise.all([startServer({ role: 'api' }), startServer()]);
  stranger = await makePlayer(server);
});
after(() => Promise.all([server.stop(), walking.stop()]));

describe('the whole stack of a real dump', () => {
  test("is available after processing, marks the game's own code, and improves when symbols arrive", async () => {
    const game = await makeGame(walking);
    const buildId = await register(walking, game);
    const headers = await signIn(walking, game.owner);
    const waiting = await reportCrash(walking, game, buildId);
    const id = await reportCrash(walking, game, buildId, { dump: DUMP });
    const read = (crash: string) => request(`${walking.api}/games/${game.uid}/crashes/${crash}/stack`, { headers });
    await untilDone(walking, id);
    assert.deepEqual(statusOf(await read(waiting)), [409, 4090]);

    const bare = (await read(id)).body.data;
    assert.deepEqual([bare.reason, bare.address], ['SIGSEGV / SEGV_MAPERR', '0x14']);
    assert.deepEqual([bare.crashed.frames[0].function, bare.crashed.frames[0].own], [null, true]);
    assert.equal(bare.registers.rip, '0x000056064af5fce8');
    assert.deepEqual(
      bare.modules
        .slice(0, 2)
        .map((module: { name: string; own: boolean; symbols: string }) => [module.name, module.own, module.symbols]),
      [
        ['null_deref_inline', true, 'missing'],
        ['libc.so.6', false, 'missing'],
      ],
    );
    assert.equal(bare.system.os, 'Linux');

    await addSymbols(walking, game, buildId, SYMBOLS);
    await untilCompiled(walking, game, buildId);
    await until(async () => (await reportRow(walking, id)).signature === 'render::measure');
    const { crashed, modules } = (await read(id)).body.data;
    assert.ok(crashed.frames.some(({ inlined }: { inlined: boolean }) => inlined));
    const own = crashed.frames.filter((frame: { own: boolean }) => frame.own);
    assert.match(own[0].function, /^render::measure/);
    assert.match(own[0].file, /^[^/].*\.c/);
    const inLibc = crashed.frames.filter(({ module }: { module: string | null }) => module === 'libc.so.6');
    assert.ok(inLibc.length > 0 && inLibc.every((frame: { own: boolean }) => !frame.own));
    assert.equal(modules.find(({ name }: { name: string }) => name === 'null_deref_inline').symbols, 'loaded');
    assert.doesNotMatch(JSON.stringify({ crashed, modules }), /oracle|\/tmp\//);
  });

  test('is 4040 for non-members and under another game', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const buildId = await addBuild(server, game);
    const id = await addReport(server.ctx, { game, buildId, stack: ['a'], log: Buffer.from('x') });
    for (const part of ['stack', 'log']) {
      const path = (of: SharedGame, crash: string) => `/games/${of.uid}/crashes/${crash}/${part}`;
      assert.equal((await callAs(server, game.admin, path(game, id.toUpperCase()))).status, 200);
      for (const person of [stranger, other.owner])
        assert.deepEqual(statusOf(await callAs(server, person, path(game, id))), [404, 4040]);
      assert.deepEqual(statusOf(await callAs(server, null, path(game, id))), [401, 4011]);
      assert.deepEqual(statusOf(await callAs(server, other.owner, path(other, id))), [404, 4040]);
      assert.deepEqual(statusOf(await callAs(server, game.owner, path(game, newId()))), [404, 4040]);
    }
  });
});

describe('the end of a log', () => {
  test('has its last lines as text, all of a short log, and nothing of an empty one', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const readLog = async (log?: Buffer) => {
      const id = await addReport(server.ctx, { game, buildId, ...(log !== undefined && { log }) });
      return callAs(server, game.owner, `/games/${game.uid}/crashes/${id}/log`);
    };
    const short = 'open /home/ann/save\n<b>fps</b>: 59\n';
    assert.deepEqual((await readLog(Buffer.from(short))).body.data, {
      text: 'open /home/<user>/save\n<b>fps</b>: 59\n',
      size: short.length,
      is_cut: false,
    });
    const long = Buffer.from(Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join(''));
    // The store keeps a reference to the buffer.
    const { length } = long;
    const { text, size, is_cut } = (await readLog(long)).body.data;
    assert.deepEqual([size, is_cut], [length, true]);
    assert.ok(text.length > LIMITS.crashLogShownBytes - 20 && text.length <= LIMITS.crashLogShownBytes);
    assert.match(text, /^line \d+\n(line \d+\n)+line 19999\n$/);
    assert.deepEqual((await readLog(Buffer.alloc(0))).body.data, { text: '', size: 0, is_cut: false });
    assert.deepEqual(statusOf(await readLog()), [409, 4090]);
  });
});

describe('similar groups', () => {
  const similar = (game: SharedGame, id: string, person: Person | null = game.owner) =>
    callAs(server, person, `/games/${game.uid}/crash-groups/${id}/similar`);

  async function groupIds(game: SharedGame): Promise<Map<string, string>> {
    const { groups } = (await callAs(server, game.owner, `/games/${game.uid}/crash-groups`)).body.data;
    return new Map(groups.map(({ title, group_id }: { title: string; group_id: string }) => [title, group_id]));
  }

  test('share functions, the most similar first, up to five, and none of another game', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const buildId = await addBuild(server, game);
    await addReport(server.ctx, { game: other, buildId: await addBuild(server, other), stack: ['z', 'b', 'c'] });
    await addReport(server.ctx, { game, buildId, stack: ['a', 'b', 'c'] });
    await addReport(server.ctx, { game, buildId, stack: ['d', 'b'] });
    await addReport(server.ctx, { game, buildId, stack: ['e', 'c', 'b'] });
    await addReport(server.ctx, { game, buildId, stack: ['f', 'g'] });
    for (const name of ['h', 'i', 'j', 'k']) await addReport(server.ctx, { game, buildId, stack: [name, 'c'] });
    const ids = await groupIds(game);
    const { groups } = (await similar(game, ids.get('a') ?? '')).body.data;
    assert.deepEqual(
      groups.map(({ title, shared }: { title: string; shared: string[] }) => [title, shared]),
      [
        ['e', ['b', 'c']],
        ['k', ['c']],
        ['j', ['c']],
        ['i', ['c']],
        ['h', ['c']],
      ],
    );
    assert.deepEqual((await similar(game, ids.get('f') ?? '')).body.data.groups, []);
    assert.deepEqual(statusOf(await similar(game, ids.get('a') ?? '', stranger)), [404, 4040]);
    assert.deepEqual(statusOf(await similar(other, ids.get('a') ?? '')), [404, 4040]);
    assert.deepEqual(statusOf(await similar(game, newId())), [404, 4040]);
  });

  test('are found for real dumps, without deleted groups', async () => {
    const game = await makeGame(walking);
    const buildId = await register(walking, game);
    for (const name of ['null_deref_inline', 'nosym_middle'] as const)
      await addSymbols(walking, game, buildId, readSymbolFixture(name));
    await untilCompiled(walking, game, buildId);
    const [first, second] = await Promise.all([
      reportCrash(walking, game, buildId, { dump: DUMP }),
      reportCrash(walking, game, buildId, { dump: OTHER_DUMP }),
    ]);
    const groups = [await untilDone(walking, first), await untilDone(walking, second)].map(({ group_id }) => group_id);
    assert.notEqual(groups[0], groups[1]);
    const headers = await signIn(walking, game.owner);
    const { status } = await request(`${walking.api}/games/${game.uid}/crash-groups/${groups[0]}/similar`, { headers });
    assert.equal(status, 200);
    await request(`${walking.api}/games/${game.uid}/crashes/${first}`, { method: 'DELETE', headers });
    const deleted = await request(`${walking.api}/games/${game.uid}/crash-groups/${groups[0]}/similar`, { headers });
    assert.deepEqual(statusOf(deleted), [404, 4040]);
  });
});

describe('the missing symbols of a build', () => {
  test('are counted over its newest reports, most frequent first, with the reason', async () => {
    const game = await makeGame(walking);
    const buildId = await register(walking, game);
    const headers = await signIn(walking, game.owner);
    const read = (build: string) =>
      request(`${walking.api}/games/${game.uid}/builds/${build}/symbols/missing`, { headers });
    assert.deepEqual((await read(buildId)).body.data, { reports: 0, modules: [] });
    for (const dump of [DUMP, DUMP, OTHER_DUMP])
      await untilDone(walking, await reportCrash(walking, game, buildId, { dump }));
    const { reports, modules } = (await read(buildId)).body.data;
    assert.equal(reports, 3);
    assert.deepEqual(
      modules.find(({ module }: { module: string }) => module === 'null_deref_inline'),
      {
        module: 'null_deref_inline',
        debug_id: '8EB9ED96B569A6A04D6CB5C57A4568B80',
        why: 'never_uploaded',
        detail: 'No symbols of this file were uploaded. Run `chauffeur symbols` on the build.',
        lookup: null,
        crashes: 2,
      },
    );
    const counts = modules.map(({ crashes }: { crashes: number }) => crashes);
    assert.deepEqual(
      counts,
      counts.toSorted((a: number, b: number) => b - a),
    );
    await addSymbols(walking, game, buildId, SYMBOLS);
    await until(async () => {
      const left = (await read(buildId)).body.data.modules;
      return !left.some(({ module }: { module: string }) => module === 'null_deref_inline');
    });
    assert.deepEqual(statusOf(await read(newId())), [404, 4006]);
    const path = `/games/${game.uid}/builds/${buildId}/symbols/missing`;
    assert.deepEqual(statusOf(await callAs(walking, await makePlayer(walking), path)), [404, 4040]);
  });
});

describe('groups that are new since a build', () => {
  /** The context of the server with a clock `days` ago. */
  const ago = (days: number) => {
    const time = new Date(Date.now() - days * DAY);
    return { ...server.ctx, clock: { now: () => time } };
  };

  test('are filtered in the list, across pages', async () => {
    const game = await makeSharedGame(server);
    const old = await addBuild(server, game);
    await addReport(ago(2), { game, buildId: old, stack: ['old'] });
    const newest = await addBuild(server, game, { version: '2.0' });
    await addReport(server.ctx, { game, buildId: newest, stack: ['old'] });
    for (const name of ['a', 'b', 'c']) await addReport(server.ctx, { game, buildId: newest, stack: [name] });
    const titles: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/games/${game.uid}/crash-groups?limit=2&since_build=${newest}${cursor && `&cursor=${cursor}`}`;
      const { status, body } = await callAs(server, game.owner, path);
      assert.equal(status, 200, JSON.stringify(body));
      titles.push(...body.data.groups.map(({ title }: { title: string }) => title));
      cursor = body.data.next_cursor;
    }
    assert.deepEqual(titles, ['c', 'b', 'a']);
    const unknown = await callAs(server, game.owner, `/games/${game.uid}/crash-groups?since_build=${newId()}`);
    assert.deepEqual(unknown.body.data.groups, []);
    const { games } = (await callAs(server, game.owner, '/overview/games')).body.data;
    assert.deepEqual([games[0].game_uid, games[0].new_groups], [game.uid, 3]);
  });

  test('have their days by version', async () => {
    const game = await makeSharedGame(server);
    const [one, two] = [await addBuild(server, game), await addBuild(server, game, { version: '2.0' })];
    await addReport(ago(1), { game, buildId: one, stack: ['a'] });
    await addReport(ago(1), { game, buildId: two, stack: ['a'] });
    await addReport(server.ctx, { game, buildId: two, stack: ['a'] });
    const [group] = (await callAs(server, game.owner, `/games/${game.uid}/crash-groups`)).body.data.groups;
    const { trend } = (await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${group.group_id}`)).body.data;
    const day = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
    assert.deepEqual(
      trend.toSorted((a: { day: string; version: string }, b: { day: string; version: string }) =>
        `${a.day}${a.version}`.localeCompare(`${b.day}${b.version}`),
      ),
      [
        { day: day(1), version: '1.0.0', count: 1 },
        { day: day(1), version: '2.0', count: 1 },
        { day: day(0), version: '2.0', count: 1 },
      ],
    );
  });
});
