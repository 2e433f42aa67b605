// Issues about crash groups: drafted, opened in any tracker, and created in GitHub and GitLab.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';
import { startTracker, type Tracker } from './setup/tracker.ts';

let server: TestServer;
let tracker: Tracker;
let game: SharedGame;
let groupId: string;
before(async () => {
  tracker = await startTracker();
  server = await startServer({ role: 'api', env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } });
});
after(() => Promise.all([server.stop(), tracker.stop()]));

beforeEach(async () => {
  tracker.answer = null;
  tracker.requests.length = 0;
  game = await makeSharedGame(server);
  const buildId = await addBuild(server, game, { version: '1.0.0' });
  await addReport(server.ctx, { game, buildId, stack: ['Door::open', 'main'], os: 'linux' });
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups`);
  groupId = body.data.groups[0].group_id;
});

const settings = (body?: object, person: Person | null = game.owner) =>
  callAs(server, person, `/games/${game.uid}/issue-tracker`, body === undefined ? {} : { method: 'PUT', body });
const issue = (method = 'GET', body: object = {}, person: Person = game.owner) =>
  callAs(server, person, `/games/${game.uid}/crash-groups/${groupId}/issue`, {
    method,
    ...(method === 'POST' && { body }),
  });
const group = async () => (await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${groupId}`)).body.data;
const github = (fields: object = {}) =>
  settings({ kind: 'github', base_url: tracker.url, project: 'owls/north', token: 'ghp_1', ...fields });

test('a template of an earlier version whose host is not fixed opens nothing', async () => {
  await settings({ kind: 'other', url_template: 'https://linear.new?title={title}' });
  await changed(server.ctx.db, sql`update issue_trackers set url_template = 'https://linear.new@{title}/'`);
  assert.equal((await issue()).body.data.url, null);
});

describe('an issue tracker', () => {
  test('is set, read without its token, and removed', async () => {
    assert.deepEqual((await settings()).body.data, { tracker: null });
    const saved = await settings({ kind: 'github', project: 'owls/north', token: 'ghp_secret' });
    assert.deepEqual(saved.body.data.tracker, {
      kind: 'github',
      base_url: 'https://github.com',
      project: 'owls/north',
      url_template: 'https://github.com/owls/north/issues/new?title={title}&body={body}',
      has_token: true,
    });
    assert.deepEqual((await settings()).body.data, saved.body.data);
    const { token } = await onlyRow(
      server.ctx.db,
      sql<{ token: Buffer }>`select token from issue_trackers where game_id = ${game.uid}`,
    );
    assert.equal(token.includes('ghp_secret'), false);
    const path = `/games/${game.uid}/issue-tracker`;
    assert.deepEqual((await callAs(server, game.owner, path, { method: 'DELETE' })).body.data, { removed: true });
    assert.deepEqual((await callAs(server, game.owner, path, { method: 'DELETE' })).body.data, { removed: false });
  });

  test('keeps its token unless the server changes', async () => {
    await settings({ kind: 'gitlab', project: 'a/b', token: 't' });
    const hasToken = async (body: object) => (await settings(body)).body.data.tracker.has_token;
    assert.equal(await hasToken({ kind: 'gitlab', project: 'a/b/c' }), true);
    assert.equal(await hasToken({ kind: 'gitlab', project: 'a/b/c', base_url: 'https://git.example.com/' }), false);
    await settings({ kind: 'gitlab', project: 'a/b', token: 't' });
    assert.equal(await hasToken({ kind: 'gitlab', project: 'a/b', token: null }), false);
    await settings({ kind: 'gitlab', project: 'a/b', token: 't' });
    assert.equal(await hasToken({ kind: 'github', project: 'a/b', base_url: 'https://gitlab.com' }), false);
  });

  test('is refused with fields that do not go together, and to people who are not members', async () => {
    for (const body of [
      { kind: 'github' },
      { kind: 'github', project: 'owls' },
      { kind: 'github', project: 'a/b/c' },
      { kind: 'github', project: '../..', base_url: 'ftp://x' },
      { kind: 'github', project: 'a/b', url_template: 'https://x' },
      { kind: 'github', project: 'a/b', base_url: 'https://user:pass@example.com' },
      { kind: 'github', project: 'a/b', base_url: 'https://example.com/?x' },
      { kind: 'github', project: 'a/b', token: 'with space' },
      { kind: 'github', project: 'a/b', token: 'line\nbreak' },
      { kind: 'other' },
      { kind: 'other', url_template: 'javascript:alert(1)' },
      { kind: 'other', url_template: 'https://' },
      { kind: 'other', url_template: 'https://linear.new@evil.example/?title={title}' },
      { kind: 'other', url_template: 'https://{title}.example/' },
      { kind: 'other', url_template: 'https://linear.new/{title}' },
      { kind: 'other', url_template: 'https://linear.new/\u202e?title={title}' },
      { kind: 'github', project: '../..' },
      { kind: 'gitlab', project: 'a/../b' },
      { kind: 'gitlab', project: 'a', base_url: 'https://gitlab.com@evil.example' },
      { kind: 'other', url_template: 'https://linear.new', token: 'x' },
      { kind: 'jira', url_template: 'https://x' },
    ]) {
      const { status, body: response } = await settings(body);
      assert.deepEqual([status, response.error?.code], [400, 4002], JSON.stringify(body));
    }
    const stranger = await makePlayer(server);
    for (const body of [undefined, { kind: 'github', project: 'a/b' }]) {
      assert.equal((await settings(body, stranger)).status, 404);
      assert.equal((await settings(body, null)).status, 401);
    }
  });
});

describe('an issue about a group', () => {
  test('is drafted with what is known, and opens in any tracker', async () => {
    const without = (await issue()).body.data;
    assert.deepEqual([without.title, without.url, without.can_create], ['Door::open', null, false]);
    for (const text of ['Reports: 1', '1.0.0 (1)', 'Linux (1)', 'Door::open', `/crashes/groups/${groupId}`])
      assert.ok(without.body.includes(text), text);
    await settings({ kind: 'other', url_template: 'https://linear.new?title={title}&description={body}' });
    const { url, can_create } = (await issue()).body.data;
    assert.equal(can_create, false);
    const { searchParams } = new URL(url);
    assert.deepEqual([searchParams.get('title'), searchParams.get('description')], [without.title, without.body]);
  });

  test('has an address of limited length, whatever the title and the stack are', async () => {
    const buildId = await addBuild(server, game, { version: '2.0.0' });
    const long = Array.from({ length: 40 }, (_, index) => `${'🦉`'.repeat(60)}${index}`);
    await addReport(server.ctx, { game, buildId, stack: long });
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups`);
    groupId = body.data.groups[0].group_id;
    await settings({ kind: 'gitlab', project: 'a/b' });
    const { url } = (await issue()).body.data;
    assert.ok(url.length <= 6000 && URL.canParse(url), String(url.length));
    assert.equal(new URL(url).searchParams.get('issue[description]')?.isWellFormed(), true);
  });

  test('is created in GitHub and linked', async () => {
    await github();
    const { status, body } = await issue('POST', { title: 'Doors crash' });
    assert.equal(status, 201);
    const [request, ...others] = tracker.requests;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [request?.method, request?.path, request?.headers.authorization, request?.body.title],
      ['POST', '/api/v3/repos/owls/north/issues', 'Bearer ghp_1', 'Doors crash'],
    );
    assert.match(request?.body.body, /Door::open/);
    assert.equal(body.data.issue_url, `${tracker.url}/issues/1`);
    assert.equal((await group()).issue_url, body.data.issue_url);
    const undo = `/games/${game.uid}/crash-groups/changes/${body.data.change_uid}/undo`;
    await callAs(server, game.owner, undo, { method: 'POST', body: {} });
    assert.equal((await group()).issue_url, null);
  });

  test('is created in GitLab', async () => {
    await settings({ kind: 'gitlab', base_url: tracker.url, project: 'owls/north/game', token: 'secret' });
    const { body } = await issue('POST');
    const [request] = tracker.requests;
    assert.deepEqual(
      [request?.path, request?.headers['private-token'], request?.body.title],
      [`/api/v4/projects/${encodeURIComponent('owls/north/game')}/issues`, 'secret', 'Door::open'],
    );
    assert.match(request?.body.description, /Reports: 1/);
    assert.equal(body.data.issue_url, `${tracker.url}/-/issues/1`);
  });

  test('is created once if several people ask for it at once', async () => {
    await github();
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await issue('POST')).status));
    assert.deepEqual(statuses.toSorted(), [201, 400, 400, 400, 400, 400, 400, 400]);
    assert.equal(tracker.requests.length, 1);
    assert.equal((await issue('POST')).status, 400);
  });

  test('is not created without a token', async () => {
    assert.equal((await issue('POST')).status, 400);
    await settings({ kind: 'github', project: 'a/b' });
    assert.equal((await issue('POST')).status, 400);
  });

  const REFUSALS: readonly (readonly [status: number, body: string, message: RegExp])[] = [
    [401, '{}', /token is wrong or has expired/],
    [403, '{}', /may not create issues/],
    [404, '{"message":"Not Found"}', /no such project/],
    [410, '{}', /issues are turned off/],
    [422, '{"message":"Validation Failed"}', /status 422 \(Validation Failed\)/],
    [422, '{"message":"Bad\\r\\n\\u202etoken ghp_1"}', /status 422 \(Bad token …\)/],
    [500, '<html>', /status 500/],
    [302, '', /status 302/],
    [201, 'not JSON', /status 201/],
    [201, '{"html_url":"javascript:alert(1)"}', /status 201/],
    [201, '{"html_url":"https://github.com@evil.example/1"}', /status 201/],
    [201, `{"html_url":"https://evil.example/${'x'.repeat(2000)}"}`, /status 201/],
    [201, 'null', /status 201/],
    [201, `{"x":"${'x'.repeat(2_000_000)}"}`, /did not respond/],
  ];
  for (const [status, answer, message] of REFUSALS)
    test(`is not linked if the tracker responds with ${status} ${answer.slice(0, 20)}`, async () => {
      await github();
      tracker.answer = { status, body: answer };
      const { status: refused, body } = await issue('POST');
      assert.deepEqual([refused, body.error?.code], [409, 4091]);
      assert.match(body.error?.message ?? '', message);
      assert.doesNotMatch(JSON.stringify(body), /ghp_1/);
      assert.equal((await group()).issue_url, null);
      tracker.answer = null;
      assert.equal((await issue('POST')).status, 201, 'it can be tried again');
    });

  test('is not created through a tracker in a private network unless the operator allows it', async () => {
    await github();
    const strict = await startServer({ shareWith: server, role: 'api', env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '0' } });
    try {
      const path = `/games/${game.uid}/crash-groups/${groupId}/issue`;
      const { status, body } = await callAs(strict, game.owner, path, { method: 'POST', body: {} });
      assert.deepEqual([status, body.error?.code], [409, 4091]);
      assert.match(body.error?.message ?? '', /not on the public internet/);
      assert.equal(tracker.requests.length, 0);
    } finally {
      await strict.stop();
    }
  });
});
