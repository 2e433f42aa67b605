// The source code of games: settings, the commits of builds, and the commits between them from GitHub and GitLab.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';
import { startTracker, type Tracker } from './setup/tracker.ts';

let server: TestServer;
let host: Tracker;
let game: SharedGame;
before(async () => {
  host = await startTracker();
  server = await startServer({ role: 'api', env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } });
});
after(() => Promise.all([server.stop(), host.stop()]));
beforeEach(async () => {
  host.answer = null;
  host.requests.length = 0;
  game = await makeSharedGame(server);
});

const ask = (path: string, options: { method?: string; body?: object } = {}, person: Person | null = game.owner) =>
  callAs(server, person, `/games/${game.uid}${path}`, options);
const save = (body: object, person?: Person) => ask('/source', { method: 'PUT', body }, person);

describe('where the source code can be read', () => {
  test('is set, read and removed by members', async () => {
    assert.deepEqual((await ask('/source')).body.data, { url_template: null, path_prefixes: [] });
    const settings = { url_template: 'https://example.com/{commit}/{path}#L{line}', path_prefixes: ['/ci', 'C:\\ci'] };
    assert.deepEqual((await save(settings, game.admin)).body.data, settings);
    assert.deepEqual((await ask('/source')).body.data, settings);
    const player = await makePlayer(server);
    assert.deepEqual(statusOf(await save(settings, player)), [404, 4040]);
    assert.deepEqual(statusOf(await ask('/source', {}, player)), [404, 4040]);
    await save({ url_template: null, path_prefixes: [] });
    assert.deepEqual((await ask('/source')).body.data, { url_template: null, path_prefixes: [] });
  });

  test('refuses templates that are not addresses of files', async () => {
    for (const url_template of [
      'https://example.com',
      'javascript:alert({path})',
      '{path}',
      'https://e.com/{path}/{x}',
      'https://user:password@e.com/{path}',
      'https://e.com@{path}/',
      'https://{path}.e.com/',
      'https://e.com:{line}/{path}',
      'https://e.com/\u202e{path}',
      7,
    ])
      assert.deepEqual(statusOf(await save({ url_template, path_prefixes: [] })), [400, 4002], String(url_template));
    const prefixes = Array.from({ length: 21 }, (_, no) => `/${no}`);
    for (const path_prefixes of ['/ci', [''], prefixes, [7]])
      assert.deepEqual(statusOf(await save({ url_template: 'https://e.com/{path}', path_prefixes })), [400, 4002]);
  });
});

describe('the commit of a build', () => {
  test('is stored, kept by a registration without one, and shown with the reports of the build', async () => {
    const buildId = await addBuild(server, game, { commit: 'Abc1234-1' });
    assert.equal(await addBuild(server, game), buildId);
    assert.equal((await ask(`/builds/${buildId}`)).body.data.commit, 'Abc1234-1');
    const crashId = await addReport(server.ctx, { game, buildId, stack: ['Door::open'] });
    assert.equal((await ask(`/crashes/${crashId}`)).body.data.commit, 'Abc1234-1');
    await addBuild(server, game, { commit: '1234567' });
    assert.equal((await ask(`/crashes/${crashId}`)).body.data.commit, '1234567');
  });

  test('is refused if it cannot be part of an address', async () => {
    for (const commit of ['', 'a/b', '../x', 'a b', 'x'.repeat(65), '-rf'])
      assert.equal(await addBuild(server, game, { commit }).catch(() => undefined), undefined, commit);
  });
});

describe('the commits between two builds', () => {
  const use = (kind: 'github' | 'gitlab') =>
    ask('/issue-tracker', {
      method: 'PUT',
      body: { kind, base_url: host.url, project: 'owls/north', token: 'secret' },
    });
  const builds = async () => ({
    since: await addBuild(server, game, { version: '1.0', commit: 'aaa' }),
    until: await addBuild(server, game, { version: '1.1', commit: 'bbb' }),
  });
  const respond = (status: number, body: unknown) => {
    host.answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };

  test('come from GitHub, newest first', async () => {
    await use('github');
    const { since, until } = await builds();
    const commit = (sha: string, message: string) => ({
      sha,
      html_url: `https://github.com/owls/north/commit/${sha}`,
      commit: { message, author: { name: 'Nora' }, committer: { date: '2026-11-20T10:00:00Z' } },
    });
    respond(200, {
      html_url: 'https://github.com/owls/north/compare/aaa...bbb',
      total_commits: 300,
      commits: [commit('1', 'Open the door'), commit('2', 'Light the lamp\n\nIt was dark.')],
    });
    const { status, body } = await ask(`/builds/${until}/commits?since=${since}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.data, {
      commits: ['Light the lamp', 'Open the door'].map((title, index) => ({
        id: String(2 - index),
        title,
        author: 'Nora',
        committed_at: '2026-11-20T10:00:00.000Z',
        url: `https://github.com/owls/north/commit/${2 - index}`,
      })),
      more: 298,
      url: 'https://github.com/owls/north/compare/aaa...bbb',
    });
    const [request] = host.requests;
    assert.deepEqual(
      [request?.method, request?.path, request?.headers.authorization],
      ['GET', '/api/v3/repos/owls/north/compare/aaa...bbb', 'Bearer secret'],
    );
  });

  test('come from GitLab', async () => {
    await use('gitlab');
    const { since, until } = await builds();
    const commit = {
      id: '1',
      title: 'Open the door',
      author_name: 'Nora',
      committed_date: '2026-11-20T10:00:00Z',
      web_url: 'https://e.com/1',
    };
    respond(200, { commits: [commit], web_url: 'https://e.com/compare' });
    const { body } = await ask(`/builds/${until}/commits?since=${since}`);
    assert.deepEqual(
      [body.data.commits[0].title, body.data.more, body.data.url],
      ['Open the door', 0, 'https://e.com/compare'],
    );
    const many = Array.from({ length: 250 }, (_, no) => ({ ...commit, id: String(no) }));
    respond(200, { commits: many });
    const { data } = (await ask(`/builds/${until}/commits?since=${since}`)).body;
    const ids = data.commits.map(({ id }: { id: string }) => id);
    assert.deepEqual([ids.length, ids[0], ids.at(-1), data.more], [100, '249', '150', 150]);
    assert.equal(
      host.requests[0]?.path,
      `/api/v4/projects/${encodeURIComponent('owls/north')}/repository/compare?from=aaa&to=bbb`,
    );
  });

  test('never contain addresses or texts of any other kind', async () => {
    await use('github');
    const { since, until } = await builds();
    const path = `/builds/${until}/commits?since=${since}`;
    respond(200, {
      commits: [{ html_url: 'javascript:alert(1)', sha: 7, commit: 'x' }, null],
      html_url: 3,
      total_commits: 'x',
    });
    const { body } = await ask(path);
    const empty = { id: '', title: '', author: '', committed_at: null, url: null };
    assert.deepEqual(body.data, { commits: [empty, empty], more: 0, url: null });
    for (const [status, answer] of [
      [200, '{"commits":7}'],
      [200, 'no JSON'],
      [404, '{}'],
      [401, '{}'],
      [500, '<html>'],
    ] as const) {
      respond(status, answer);
      assert.deepEqual(statusOf(await ask(path)), [409, 4091], answer);
    }
  });

  test('need two builds of the game with commits, and a host with a token', async () => {
    const { since, until } = await builds();
    const path = `/builds/${until}/commits?since=`;
    assert.deepEqual(statusOf(await ask(path + since)), [400, 4002]);
    await use('github');
    const without = await addBuild(server, game, { version: '0.9' });
    assert.deepEqual(statusOf(await ask(path + without)), [400, 4002]);
    assert.deepEqual(statusOf(await ask(path + newId())), [404, 4006]);
    const other = await makeSharedGame(server);
    const theirs = await addBuild(server, other, { commit: 'ccc' });
    assert.deepEqual(statusOf(await ask(path + theirs)), [404, 4006]);
    assert.deepEqual(statusOf(await ask(path + since, {}, await makePlayer(server))), [404, 4040]);
    assert.equal(host.requests.length, 0);
  });
});
