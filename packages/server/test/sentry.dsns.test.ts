// DSNs on the real server: the numbers and keys that SDKs send, and the game that they lead to.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseDsn } from '@chauffeur/sentry/dsn/dsn';
import { sql } from 'kysely';
import { findDsn } from '../src/crash/sentry/dsns/find-dsn.ts';
import { MINUTE, SECOND } from '../src/kernel/clock.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame } from './setup/api-calls.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until, untilEqual } from './setup/until.ts';

let now = Date.now();
let server: TestServer;
let game: TestGame;

before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) } });
  game = await makeGame(server);
});
after(() => server.stop());

const find = ({ projectNo, key }: Pick<TestDsn, 'projectNo' | 'key'>) => findDsn(server.ctx, { projectNo, key });

describe('a DSN', () => {
  test('has a key of 32 hex digits, and a number that all DSNs of the game share and no other game has', async () => {
    const other = await makeGame(server);
    const [first, second, foreign] = [
      await makeDsn(server, game),
      await makeDsn(server, game),
      await makeDsn(server, other),
    ];
    for (const { dsn, key, projectNo } of [first, second, foreign]) {
      assert.match(key, /^[0-9a-f]{32}$/);
      assert.ok(Number.isInteger(projectNo) && projectNo > 0 && projectNo < 2 ** 31);
      assert.deepEqual(parseDsn(dsn), { key, project: String(projectNo), origin: server.ctx.publicUrl });
    }
    assert.equal(first.projectNo, second.projectNo);
    assert.notEqual(first.key, second.key);
    assert.notEqual(first.projectNo, foreign.projectNo);
  });

  test('leads to its game and to no other', async () => {
    const dsn = await makeDsn(server, game, 'Windows');
    const foreign = await makeDsn(server, await makeGame(server));
    const expected = { gameId: game.uid, dsnId: dsn.dsnId, name: 'Windows' };
    assert.deepEqual(await find(dsn), expected);
    assert.deepEqual(await find(dsn), expected);
    assert.deepEqual(await find({ ...dsn, key: dsn.key.toUpperCase() }), expected);
    assert.equal(await find({ ...dsn, projectNo: foreign.projectNo }), undefined);
    assert.equal(await find({ ...dsn, key: foreign.key }), undefined);
    for (const key of ['', 'x', '0'.repeat(32), `${dsn.key}0`, ` ${dsn.key}`, '\0', '\ud800'])
      assert.equal(await find({ ...dsn, key }), undefined);
    for (const projectNo of [0, -1, 1.5, Number.NaN, 2 ** 53])
      assert.equal(await find({ ...dsn, projectNo }), undefined);
  });

  test('leads nowhere a few seconds after its game was deleted', async () => {
    const { game: deleted, owner } = await makeOwnedGame(server);
    const dsn = await makeDsn(server, deleted);
    assert.ok(await find(dsn));
    const { name } = (await callApi(server, owner, 'GET', `/games/${deleted.uid}`)).body.data;
    const deletion = { name, password: deleted.owner.password };
    assert.equal((await callApi(server, owner, 'POST', `/games/${deleted.uid}/deletion`, deletion)).status, 202);
    now += 10 * SECOND;
    assert.equal(await find(dsn), undefined);
    for (const table of ['dsns', 'dsn_projects'])
      await untilEqual(
        async () =>
          (await rows(server.ctx.db, sql`select from ${sql.table(table)} where game_id = ${deleted.uid}`)).length,
        0,
      );
  });

  test('notes its last use at most once a minute', async () => {
    const dsn = await makeDsn(server, game);
    const lastUse = async () =>
      (
        await onlyRow(
          server.ctx.db,
          sql<{ at: Date | null }>`select last_used_at as at from dsns where dsn_id = ${dsn.dsnId}`,
        )
      ).at?.getTime();
    assert.equal(await lastUse(), undefined);
    await find({ ...dsn, projectNo: dsn.projectNo + 1 });
    const first = now;
    await find(dsn);
    await untilEqual(lastUse, first);
    now += MINUTE - 1;
    await find(dsn);
    now += 2;
    const second = now;
    await find(dsn);
    await until(async () => (await lastUse()) !== first);
    assert.equal(await lastUse(), second);
  });
});
