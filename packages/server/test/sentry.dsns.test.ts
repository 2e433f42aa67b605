// DSNs on the real server: the numbers and keys that SDKs send, and the game that they lead to.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { parseDsn } from '@chauffeur/sentry/dsn/dsn';
import { sql } from 'kysely';
import { findDsn } from '../src/crash/sentry/dsns/find-dsn.ts';
import { DAY, MINUTE, SECOND } from '../src/kernel/clock.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { makeGame, makeMember, makePlayer, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
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
    now -= DAY;
    const earlier = now;
    await find(dsn);
    await untilEqual(lastUse, earlier);
  });
});

type Dsn = { dsn_id: string; name: string; dsn: string; project_no: number; state: string };

describe('managing DSNs', () => {
  let own: TestGame;
  let owner: { cookie: string };
  before(async () => {
    ({ game: own, owner } = await makeOwnedGame(server));
  });
  const call = (method: string, path = '', body?: object, headers: object = owner, uid = own.uid) =>
    callApi(server, headers, method, `/games/${uid}/dsns${path}`, body);
  const create = async (name = 'Windows'): Promise<Dsn> => (await call('POST', '', { name })).body.data;
  const list = async (uid = own.uid, headers = owner): Promise<Dsn[]> =>
    (await call('GET', '', undefined, headers, uid)).body.data.dsns;
  const credentialsIn = ({ dsn }: Dsn) => {
    const { key, project } = parseDsn(dsn)!;
    return { key, projectNo: Number(project) };
  };

  test('creates, lists, renames and revokes them', async () => {
    const created = await create('  Windows ');
    assert.equal(created.name, 'Windows');
    const other = await create('Linux');
    assert.ok(created.dsn.endsWith(`/${created.project_no}`));
    assert.equal(created.project_no, other.project_no);
    assert.equal((await findDsn(server.ctx, credentialsIn(created)))?.name, 'Windows');
    const renamed = await call('PATCH', `/${created.dsn_id}`, { name: 'Steam' });
    assert.deepEqual(renamed.body.data, { ...created, name: 'Steam', last_used_at: renamed.body.data.last_used_at });
    assert.equal((await findDsn(server.ctx, credentialsIn(created)))?.name, 'Steam');
    const revoked = await call('DELETE', `/${created.dsn_id}`);
    assert.deepEqual([revoked.status, revoked.body.data.state], [200, 'revoked']);
    assert.equal(await findDsn(server.ctx, credentialsIn(created)), undefined, 'at once in the same process');
    assert.ok(await findDsn(server.ctx, credentialsIn(other)));
    now += SECOND;
    const again = await call('DELETE', `/${created.dsn_id}`);
    assert.equal(again.body.data.revoked_at, revoked.body.data.revoked_at);
    assert.deepEqual(
      (await list()).map(({ name, state }) => [name, state]),
      [
        ['Linux', 'active'],
        ['Steam', 'revoked'],
      ],
    );
  });

  test('is in the audit log', async () => {
    const { dsn_id } = await create('Logged');
    await call('PATCH', `/${dsn_id}`, { name: 'Logged twice' });
    await call('DELETE', `/${dsn_id}`);
    const { entries } = (await callApi(server, owner, 'GET', `/games/${own.uid}/audit`)).body.data;
    const changesOf = (operation: string) =>
      entries
        .filter((entry: { operation: string }) => entry.operation === operation)
        .map(({ changes }: { changes: object }) => JSON.stringify(changes))
        .join('\n');
    assert.match(changesOf('dsns.create'), /Logged/);
    assert.match(changesOf('dsns.rename'), /"Logged twice"/);
    assert.match(changesOf('dsns.revoke'), /Logged twice.*revoked|revoked.*Logged twice/);
  });

  test('lets developers read them, and only admins change them', async () => {
    const { dsn_id } = await create('Roles');
    const [stranger, viewer, developer, admin] = [
      await makePlayer(server),
      await makePlayer(server),
      await makePlayer(server),
      await makePlayer(server),
    ];
    await makeMember(server, own.uid, viewer, 'viewer');
    await makeMember(server, own.uid, developer, 'developer');
    await makeMember(server, own.uid, admin, 'admin');
    const calls = [
      ['GET', '', undefined],
      ['POST', '', { name: 'x' }],
      ['PATCH', `/${dsn_id}`, { name: 'y' }],
      ['DELETE', `/${dsn_id}`, undefined],
    ] as const;
    const statusesOf = async (headers: object) => {
      const statuses: number[] = [];
      for (const [method, path, body] of calls) statuses.push((await call(method, path, body, headers)).status);
      return statuses;
    };
    assert.deepEqual(await statusesOf({}), [401, 401, 401, 401]);
    assert.deepEqual(await statusesOf(own.keyHeaders), [401, 401, 401, 401]);
    assert.deepEqual(await statusesOf(stranger.headers), [404, 404, 404, 404]);
    assert.deepEqual(await statusesOf(viewer.headers), [403, 403, 403, 403]);
    assert.deepEqual(await statusesOf(developer.headers), [200, 403, 403, 403]);
    assert.deepEqual(await statusesOf(admin.headers), [200, 201, 200, 200]);
  });

  test("doesn't reach the DSNs of another game", async () => {
    const { dsn_id, ...dsn } = await create('Mine');
    const { game: other, owner: person } = await makeOwnedGame(server);
    for (const [method, body] of [
      ['PATCH', { name: 'Stolen' }],
      ['DELETE', undefined],
    ] as const)
      assert.deepEqual(statusOf(await call(method, `/${dsn_id}`, body, person, other.uid)), [404, 4040]);
    assert.deepEqual(await list(other.uid, person), []);
    assert.ok(await findDsn(server.ctx, credentialsIn({ dsn_id, ...dsn })));
  });

  test('refuses names that are malformed', async () => {
    const { dsn_id } = await create('Names');
    for (const body of [
      {},
      { name: '' },
      { name: '   ' },
      { name: 'a\u202eb' },
      { name: 'a\nb' },
      { name: 1 },
      { name: 'a'.repeat(61) },
    ]) {
      assert.deepEqual(statusOf(await call('POST', '', body)), [400, 4002], JSON.stringify(body));
      assert.deepEqual(statusOf(await call('PATCH', `/${dsn_id}`, body)), [400, 4002], JSON.stringify(body));
    }
  });

  test('has a limit per game that holds for concurrent calls, and that revoked ones are not counted in', async () => {
    const { game: other, owner: person } = await makeOwnedGame(server);
    const attempts = Array.from({ length: LIMITS.dsns + 5 }, () => call('POST', '', { name: 'x' }, person, other.uid));
    const answers = await Promise.all(attempts);
    assert.equal(answers.filter(({ status }) => status === 201).length, LIMITS.dsns);
    assert.equal(answers.filter(({ status }) => status === 400).length, 5);
    const [first] = await list(other.uid, person);
    await call('DELETE', `/${first!.dsn_id}`, undefined, person, other.uid);
    assert.equal((await call('POST', '', { name: 'y' }, person, other.uid)).status, 201);
    const numbers = new Set((await list(other.uid, person)).map(({ project_no }) => project_no));
    assert.equal(numbers.size, 1);
  });
});

describe('chauffeur-server admin dsn', () => {
  const run = (...args: string[]) => runServerCommand(environmentOf(server), ['admin', 'dsn', ...args]);

  test('prints a DSN, which it creates only once', async () => {
    const fresh = await makeGame(server);
    const first = await run('--game', fresh.slug, '--json');
    assert.equal(first.code, 0, first.stderr);
    const printed = JSON.parse(first.stdout);
    assert.deepEqual([printed.name, printed.created, printed.game_uid], ['default', true, fresh.uid]);
    const { key, project } = parseDsn(printed.dsn)!;
    const found = await findDsn(server.ctx, { projectNo: Number(project), key });
    assert.deepEqual(found, { gameId: fresh.uid, dsnId: printed.dsn_id, name: 'default' });
    const again = await run('--game', fresh.uid);
    assert.deepEqual([again.code, again.stdout], [0, `${printed.dsn}\n`]);
    const named = JSON.parse((await run('--game', fresh.uid, '--name', 'Linux', '--json')).stdout);
    assert.deepEqual([named.name, named.created], ['Linux', true]);
    assert.notEqual(named.dsn, printed.dsn);
    const entries = await rows(
      server.ctx.db,
      sql`select from audit_entries where operation = 'admin.dsn' and about_game = ${fresh.uid}`,
    );
    assert.equal(entries.length, 2, 'printing one is not in the audit log');
  });

  test('refuses an unknown game and a malformed name', async () => {
    for (const args of [
      ['--game', 'no-such-game'],
      ['--game', game.uid, '--name', ''],
      ['--game', game.uid, '--name', '  '],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      assert.match(stderr, /--game: there is no game|name: /);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  });
});
