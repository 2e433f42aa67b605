// A single crash report on a real server: its record, why symbols are missing, and its deletion.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { rows } from '../src/kernel/database/db.ts';
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

function get(game: SharedGame, id: string, person: Person | null = game.owner): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/crashes/${id}`);
}

function remove(game: SharedGame, id: string, person: Person | null = game.owner): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/crashes/${id}`, { method: 'DELETE' });
}

async function groupsOf(game: SharedGame) {
  return (await callAs(server, game.owner, `/games/${game.uid}/crash-groups`)).body.data.groups;
}

async function blobsOf(reportId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of server.ctx.blobs.list('crashes/')) if (key.includes(reportId)) keys.push(key);
  return keys;
}

describe('a crash report', () => {
  test('has the texts of game and player, without user names in paths', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const id = await addReport(server.ctx, {
      game,
      buildId,
      message: 'cannot open C:\\Users\\Ann Lee\\save.dat',
      user_message: 'my /home/ann/x',
      metadata: { level: 3, file: '/Users/ann/Library/x.sav' },
    });
    const { data } = (await get(game, id.toUpperCase())).body;
    assert.equal(data.crash_id, id);
    assert.equal(data.message, 'cannot open C:\\Users\\<user>\\save.dat');
    assert.equal(data.user_message, 'my /home/<user>/x');
    assert.deepEqual(data.metadata, { level: 3, file: '/Users/<user>/Library/x.sav' });
    assert.deepEqual([data.source, data.state, data.failure, data.app_version], ['api', 'processed', null, '1.0.0']);
    assert.deepEqual([data.stack, data.available, data.missing_symbols], [[], [], []]);
    assert.ok(!JSON.stringify((await groupsOf(game))[0]).includes('Ann'));
  });

  test('has the stack, and the files that can be downloaded', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const id = await addReport(server.ctx, {
      game,
      buildId,
      stack: ['a', 'b'],
      dump: Buffer.from('MDMP'),
      log: Buffer.from('x'),
    });
    const { data } = (await get(game, id)).body;
    assert.deepEqual(data.available, ['stack', 'log', 'dump']);
    assert.equal(data.crash_address, '0x14');
    assert.deepEqual(data.stack[1], {
      function: 'b',
      module: 'game',
      file: 'src/render/layout.cc',
      line: 14,
      offset: '0x1010',
      trust: 'cfi',
      inlined: false,
    });
  });

  test('explains why symbols of modules are missing', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const [ownId, otherId, brokenId] = ['0', 'F', 'B'].map((digit) => `0123456789ABCDE${digit}0123456789ABCDEF0`);
    assert.ok(ownId !== undefined && otherId !== undefined && brokenId !== undefined);
    await addSymbols(game, buildId, 'game', otherId, { state: 'stored', problem: null });
    await addSymbols(game, buildId, 'broken.pdb', brokenId, { state: 'unreadable', problem: 'line 3 is not a record' });
    const missing = [`libfoo.so/${ownId}`, `game/${ownId}`, `renamed.exe/${brokenId}`];
    const id = await addReport(server.ctx, { game, buildId, stack: ['a'], missing });
    const listed = (await get(game, id)).body.data.missing_symbols;
    assert.deepEqual(
      listed.map(({ module, why }: { module: string; why: string }) => [module, why]),
      [
        ['libfoo.so', 'never_uploaded'],
        ['game', 'wrong_debug_id'],
        ['renamed.exe', 'unreadable'],
      ],
    );
    assert.match(listed[1].detail, new RegExp(otherId));
    assert.match(listed[2].detail, /line 3 is not a record/);
  });

  test('is 4040 for non-members, under another game, and if there is none', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const id = await addReport(server.ctx, { game, buildId: await addBuild(server, game) });
    assert.equal((await get(game, id, game.admin)).status, 200);
    for (const person of [stranger, other.owner]) assert.deepEqual(statusOf(await get(game, id, person)), [404, 4040]);
    assert.deepEqual(statusOf(await get(game, id, null)), [401, 4011]);
    assert.deepEqual(statusOf(await get(other, id)), [404, 4040]);
    assert.deepEqual(statusOf(await get(game, newId())), [404, 4040]);
    assert.deepEqual(statusOf(await get(game, 'x')), [400, 4002]);
  });
});

describe('deleting a report', () => {
  test('removes it from its group, and deletes its files', async () => {
    const game = await makeSharedGame(server);
    const [one, two] = [await addBuild(server, game), await addBuild(server, game, { version: '2.0', os: 'windows' })];
    const files = { dump: Buffer.from('MDMP'), log: Buffer.from('x') };
    const remaining = await addReport(server.ctx, { game, buildId: one, stack: ['a'], ...files });
    const deleted = await addReport(server.ctx, { game, buildId: two, stack: ['a'], ...files });
    assert.equal((await blobsOf(deleted)).length, 3);
    const response = await remove(game, deleted, game.admin);
    assert.deepEqual([response.status, response.body.data], [200, { deleted: true }]);
    assert.deepEqual([(await blobsOf(deleted)).length, (await blobsOf(remaining)).length], [0, 3]);
    assert.deepEqual(statusOf(await get(game, deleted)), [404, 4040]);
    const [group] = await groupsOf(game);
    assert.deepEqual([group.count, group.sample_crash_id], [1, remaining]);
    assert.deepEqual(group.builds, [{ build_id: one, version: '1.0.0', os: 'linux', arch: 'x86_64', count: 1 }]);
    assert.deepEqual(group.oses, [{ os: 'linux', count: 1 }]);
  });

  test('twice at once counts once, and the second request gets 4040', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const [deleted] = [
      await addReport(server.ctx, { game, buildId, stack: ['a'] }),
      await addReport(server.ctx, { game, buildId, stack: ['a'] }),
    ];
    const responses = await Promise.all([remove(game, deleted), remove(game, deleted), remove(game, deleted)]);
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 404, 404]);
    assert.equal((await groupsOf(game))[0].count, 1);
  });

  test('deletes the group with its last report, even if all are deleted at once', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await addReport(server.ctx, { game, buildId, stack: ['a'] }));
    await Promise.all(ids.map((id) => remove(game, id)));
    assert.deepEqual(await groupsOf(game), []);
  });

  test('is only allowed for members of the game', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const id = await addReport(server.ctx, { game, buildId: await addBuild(server, game) });
    for (const person of [stranger, other.owner])
      assert.deepEqual(statusOf(await remove(game, id, person)), [404, 4040]);
    assert.deepEqual(statusOf(await remove(game, id, null)), [401, 4011]);
    assert.deepEqual(statusOf(await remove(other, id)), [404, 4040]);
    assert.equal((await get(game, id)).status, 200);
  });
});

/** Inserts uploaded symbols, before or after they are compiled. */
async function addSymbols(
  game: SharedGame,
  buildId: string,
  debugFile: string,
  debugId: string,
  text: { state: string; problem: string | null },
) {
  const checksum = newId().replaceAll('-', '').repeat(2);
  await rows(
    server.ctx.db,
    sql`insert into symbol_texts (game_id, checksum, size, blob_key, state, problem)
      values (${game.uid}, ${checksum}, 1, ${`symbols/${checksum}`}, ${text.state}, ${text.problem})`,
  );
  await rows(
    server.ctx.db,
    sql`insert into symbols (game_id, symbol_uid, build_id, debug_file, debug_id, os, cpu, checksum, key_ref)
      values (${game.uid}, ${newId()}, ${buildId}, ${debugFile}, ${debugId}, 'linux', 'x86_64', ${checksum}, 'x')`,
  );
}
