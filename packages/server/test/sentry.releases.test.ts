// Releases as sentry-cli creates and reads them, in the form of its requests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { setCommits } from '../src/crash/sentry/releases/commits.job.ts';
import { rows } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { createToken } from './setup/api-tokens.ts';
import { makeDsn } from './setup/dsns.ts';
import { callAsSentryCli, tokenOf } from './setup/sentry-cli.ts';
import { makeAdmin, makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
let owner: { cookie: string };

before(async () => {
  server = await startServer({ role: 'api' });
  ({ game, owner } = await makeOwnedGame(server));
});
after(() => server.stop());

const call = (method: string, path: string, body?: unknown, token = tokenOf(game)) =>
  callAsSentryCli(server, token, method, path, body);
const create = (version: string, more = {}) =>
  call('POST', '/organizations/studio/releases/', { version, projects: [game.slug], ...more });
const pathOf = (version: string, rest = '') => `/organizations/studio/releases/${encodeURIComponent(version)}/${rest}`;
const commitOf = async (buildId: string) =>
  (await rows(server.ctx.db, sql<{ commit: string | null }>`select commit from builds where build_id = ${buildId}`))[0]
    ?.commit;

describe('a token', () => {
  test('is a deploy key, an upload token for symbols, or an API token for one game', async () => {
    const uploadToken = async (scopes: string[]) => {
      const { body } = await callApi(server, owner, 'POST', `/games/${game.uid}/upload-tokens`, {
        name: 'Symbols',
        scopes,
        expires_in_days: 30,
      });
      return body.data;
    };
    const own = await uploadToken(['symbols']);
    const { token } = await createToken(server, owner, { scopes: ['builds:write'], games: [game.uid] });
    const { access_token: access, secret_key: secret } = own;
    for (const [sent, name] of [
      [tokenOf(game), game.keyHeaders['x-access-token'].slice(0, 8)],
      [`${access}.${secret}`, 'Symbols'],
      [`${access}:${secret}`, 'Symbols'],
      [token, 'Report script'],
    ] as const) {
      const { status, body } = await call('GET', '/', undefined, sent);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.user.name, name);
      assert.equal(typeof body.user.email, 'string');
      assert.ok(body.auth.scopes.length > 0);
    }
    const { access_token, secret_key } = await uploadToken(['builds']);
    assert.equal((await call('GET', '/', undefined, `${access_token}.${secret_key}`)).status, 403);
  });

  test('that is wrong gets 401 with a detail, and nothing else', async () => {
    const [access = '', secret = ''] = tokenOf(game).split('.');
    for (const sent of ['', 'x', access, `${access}.`, `.${secret}`, `${access}.x`, `x.${secret}`, 'x_e30=_x']) {
      const { status, body } = await call('GET', '/', undefined, sent);
      assert.equal(status, 401, sent);
      assert.deepEqual(Object.keys(body), ['detail']);
    }
  });

  test('of several games is refused where the request names none', async () => {
    const person = await makeOwnedGame(server);
    const { token } = await createToken(server, person.owner, { scopes: ['builds:write'] });
    assert.equal((await call('GET', '/', undefined, token)).status, 200);
    await makeAdmin(server, game.uid, person.game.owner);
    assert.equal((await call('GET', '/', undefined, token)).status, 400);
    for (const project of [game.slug, person.game.slug])
      assert.equal((await call('GET', `/projects/studio/${project}/releases/`, undefined, token)).status, 200);
  });

  test('finds its game by uid, slug and number, and no other game', async () => {
    const other = await makeGame(server, { visibility: 'draft' });
    const [{ projectNo }, foreign] = [await makeDsn(server, game), await makeDsn(server, other)];
    for (const name of [game.uid, game.slug, String(projectNo)])
      assert.equal((await call('GET', `/projects/any/${name}/releases/`)).status, 200, name);
    const answers = new Set<string>();
    for (const name of [other.uid, other.slug, String(foreign.projectNo), 'no-such-game', '999999', 'x', '%00', 'ü']) {
      const { status, body } = await call('GET', `/projects/any/${name}/releases/`);
      assert.equal(status, 404, name);
      answers.add(body.detail);
    }
    assert.equal(answers.size, 1);
    const foreignRelease = { version: 'a', projects: [game.slug, other.slug] };
    assert.equal((await call('POST', '/organizations/any/releases/', foreignRelease)).status, 404);
  });
});

describe('a release', () => {
  test('is created once, finalized, and read again', async () => {
    const created = await create('owls@1.2.0', { dateStarted: '2026-11-28T10:00:00Z' });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal((await create('owls@1.2.0')).status, 208);
    const { version, dateReleased, projects, newGroups } = created.body;
    assert.deepEqual([version, dateReleased, newGroups], ['owls@1.2.0', null, 0]);
    assert.deepEqual(projects, [{ id: game.uid, slug: game.slug, name: projects[0].name }]);
    const change = { projects: [game.slug], dateReleased: '2026-11-28T11:22:33Z' };
    assert.equal((await call('PUT', pathOf('owls@1.2.0'), change)).status, 200);
    const { body } = await call('GET', pathOf('owls@1.2.0'));
    assert.equal(body.dateReleased, '2026-11-28T11:22:33.000Z');
    assert.equal(body.dateCreated, created.body.dateCreated);
    assert.equal((await call('DELETE', pathOf('owls@1.2.0'))).status, 204);
    assert.equal((await call('GET', pathOf('owls@1.2.0'))).status, 404);
    assert.equal((await call('PUT', pathOf('owls@1.2.0'), change)).status, 404);
  });

  test('is also the version of a build, alone or after a name', async () => {
    const { game: own } = await makeOwnedGame(server);
    const token = tokenOf(own);
    await register(server, own, { version: '3.0.0', commit: 'abc' });
    await register(server, own, { version: '3.0.0', os: 'windows' });
    await register(server, own, { version: '3.1.0' });
    await call('POST', '/organizations/any/releases/', { version: 'owls@3.1.0', projects: [own.uid] }, token);
    const list = await call('GET', `/projects/any/${own.slug}/releases/`, undefined, token);
    assert.deepEqual(
      list.body.map((release: { version: string }) => release.version),
      ['owls@3.1.0', '3.0.0'],
    );
    for (const version of ['3.0.0', 'owls@3.0.0']) {
      const { status, body } = await call('GET', pathOf(version), undefined, token);
      assert.equal(status, 200);
      assert.deepEqual([body.version, body.lastCommit], [version, { id: 'abc' }]);
    }
    assert.equal((await call('GET', pathOf('3.0.1'), undefined, token)).status, 404);
    assert.equal((await call('GET', pathOf('3.0.0'))).status, 404);
  });

  test('gives its newest commit to the builds of its version that have none', async () => {
    const [bare, set] = [
      await register(server, game, { version: '4.0.0' }),
      await register(server, game, { version: '4.0.0', os: 'windows', commit: 'own' }),
    ];
    const commits = ['c3', 'c2'].map((id) => ({ id, message: 'x', author_email: 'a@example.com', patch_set: [] }));
    await create('owls@4.0.0');
    assert.deepEqual((await call('GET', pathOf('owls@4.0.0', 'previous-with-commits/'))).body, {});
    const { body } = await call('PUT', pathOf('owls@4.0.0'), { commits });
    assert.deepEqual([body.lastCommit, body.commitCount], [{ id: 'c3' }, 2]);
    assert.deepEqual([await commitOf(bare), await commitOf(set)], ['c3', 'own']);
    assert.deepEqual((await call('GET', pathOf('owls@4.0.0', 'commits/'))).body, [{ id: 'c3' }, { id: 'c2' }]);
    await create('owls@4.0.1');
    assert.equal((await call('GET', pathOf('owls@4.0.1', 'previous-with-commits/'))).body.version, 'owls@4.0.0');
    const log = await callApi(server, owner, 'GET', `/games/${game.uid}/audit`);
    const entry = log.body.data.entries.find(
      ({ changes }: { changes: Record<string, unknown> }) => changes.commit !== undefined,
    );
    assert.deepEqual(entry.changes.commit.after, '4.0.0 linux x86_64: c3');
  });

  test('gives its newest commit to builds that are registered later, unless they have one', async () => {
    const commits = [{ id: 'd2' }, { id: 'd1' }];
    await create('owls@4.5.0+7', { commits });
    const refs = ['e1', 'e2'].map((commit) => ({ commit, repository: 'x' }));
    await create('owls@4.6.0', { refs });
    // Later calls say nothing about commits.
    await call('PUT', pathOf('owls@4.5.0+7'), { dateReleased: new Date().toISOString() });
    const [bare, own, other, several] = [
      await register(server, game, { version: 'v4.5.0' }),
      await register(server, game, { version: '4.5.0', commit: 'own' }),
      await register(server, game, { version: '4.5' }),
      await register(server, game, { version: '4.6.0' }),
    ];
    await setCommits(server.ctx);
    await setCommits(server.ctx);
    const found = await Promise.all([bare, own, other, several].map(commitOf));
    assert.deepEqual(found, ['d2', 'own', null, null]);
  });

  test('keeps its last deploys', async () => {
    await create('5.0.0');
    for (const environment of ['beta', 'production']) {
      const { status, body } = await call('POST', pathOf('5.0.0', 'deploys/'), { environment, name: null });
      assert.equal(status, 201);
      assert.equal(body.environment, environment);
    }
    const { body } = await call('GET', pathOf('5.0.0', 'deploys/'));
    assert.deepEqual(
      body.map(({ environment }: { environment: string }) => environment),
      ['production', 'beta'],
    );
    assert.equal((await call('POST', pathOf('5.0.1', 'deploys/'), { environment: 'beta' })).status, 404);
  });

  test('is created once by calls at the same time', async () => {
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await create('6.0.0')).status));
    assert.deepEqual(statuses.toSorted(), [201, ...Array(7).fill(208)]);
  });

  test('with a version that no release can have is missing, whatever is asked of it', async () => {
    for (const version of ['\0', 'a\nb', 'x'.repeat(3000), '__proto__'])
      for (const [method, rest, body] of [
        ['GET', ''],
        ['PUT', '', {}],
        ['DELETE', ''],
        ['GET', 'commits/'],
        ['GET', 'deploys/'],
        ['POST', 'deploys/', { environment: 'production' }],
      ] as const)
        assert.equal((await call(method, pathOf(version, rest), body)).status, 404, `${method} ${rest}`);
    const previous = await call('GET', pathOf('\0', 'previous-with-commits/'));
    assert.equal(previous.status, 200);
  });

  test('of a wrong form is refused, and nothing is kept', async () => {
    const before = await call('GET', `/projects/any/${game.slug}/releases/`);
    const wrong = [
      undefined,
      [],
      'x',
      {},
      { version: 1 },
      { version: '' },
      { version: 'a/b' },
      { version: 'a\nb' },
      { version: 'a\0b' },
      { version: '\ud800' },
      { version: 'x'.repeat(251) },
      { version: '7', projects: [1.5] },
      { version: '7', projects: [{}] },
      { version: '7', commits: [{}] },
      { version: '7', commits: [{ id: 'x'.repeat(65) }] },
      { version: '7', refs: {} },
      { version: '7', dateReleased: 'yesterday' },
      { version: '7', url: 'x'.repeat(2001) },
      { version: '7', projects: Array.from({ length: 100 }, (_, index) => `game-${index}`) },
    ];
    for (const body of wrong) {
      const { status } = await call('POST', '/organizations/any/releases/', body);
      assert.ok(status === 400 || status === 404, `${status}: ${JSON.stringify(body)?.slice(0, 100)}`);
    }
    assert.deepEqual((await call('GET', `/projects/any/${game.slug}/releases/`)).body, before.body);
    assert.equal((await call('GET', pathOf('a\0b'))).status, 404);
  });
});

test('the repositories of a game are none, so that commits come from the folder of sentry-cli', async () => {
  assert.deepEqual((await call('GET', '/organizations/any/repos/?cursor=')).body, []);
  assert.deepEqual(statusOf(await call('GET', '/organizations/any/unknown/')), [404, 4040]);
});
