// Issues about crash groups and bug tickets: drafted, opened in any tracker, and created in GitHub and GitLab.
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

describe('an issue about a bug ticket', () => {
  const file = async (bug: object): Promise<string> => {
    const filed = await callAs(server, null, `/public/games/${game.uid}/bugs`, { method: 'POST', body: bug });
    assert.equal(filed.status, 201, JSON.stringify(filed.body));
    return filed.body.data.bug_uid;
  };
  const ticketIssue = (bugUid: string, method = 'GET', body: object = {}, person: Person | null = game.owner) =>
    callAs(server, person, `/games/${game.uid}/bugs/${bugUid}/issue`, { method, ...(method === 'POST' && { body }) });
  const ticket = async (bugUid: string) => (await callAs(server, game.owner, `/games/${game.uid}/bugs/${bugUid}`)).body;
  /** The text without its code blocks. */
  const outsideQuotes = (body: string) => body.replace(/^(`{3,})\n.*?\n\1$/gms, '');

  test('is drafted with the words of the player as code blocks, and without the name of the player', async () => {
    const buildId = await addBuild(server, game, { version: '1.2.0' });
    const bugUid = await file({
      title: 'Door stuck',
      message: '@everyone look\n```\n/assign @owner\n````\n<img src=x onerror=y> #1 [a](https://evil.example)',
      steps: 'Opened @doors.',
      build_id: buildId,
      os: 'linux',
      arch: 'x86_64',
      name: '@robin',
      email: 'robin@example.com',
    });
    await callAs(server, game.owner, `/games/${game.uid}/bugs/${bugUid}`, {
      method: 'PATCH',
      body: { group_id: groupId },
    });
    const { title, body, url, can_create } = (await ticketIssue(bugUid)).body.data;
    assert.deepEqual([title, url, can_create], ['Door stuck', null, false]);
    for (const text of ['Version: 1.2.0', 'Platform: Linux', `/bugs/${bugUid}`, `/crashes/groups/${groupId}`])
      assert.ok(outsideQuotes(body).includes(text), text);
    assert.ok(body.includes('\n`````\n@everyone look\n```\n/assign @owner\n````\n<img'), body);
    assert.ok(body.includes('\n```\nOpened @doors.\n```'), body);
    for (const text of ['@', 'img', 'evil', '#1', 'obin', '/assign'])
      assert.ok(!outsideQuotes(body).includes(text), text);
    assert.doesNotMatch(body, /robin/);
  });

  test('has lines and an address of limited length, whatever the player wrote', async () => {
    await settings({ kind: 'gitlab', project: 'a/b' });
    const long = { message: 'long words '.repeat(900), steps: '🦉`'.repeat(1000) };
    const bugUid = await file(long);
    const { url, body } = (await ticketIssue(bugUid)).body.data;
    assert.ok(url.length <= 6000 && URL.canParse(url), String(url.length));
    assert.match(new URL(url).searchParams.get('issue[description]') ?? '', new RegExp(`/bugs/${bugUid}`));
    const lines: string[] = body.split('\n');
    assert.ok(lines.every((line) => [...line].length <= 101 || line.includes('/bugs/')));
    assert.equal(
      lines.every((line) => line.isWellFormed()),
      true,
    );
    assert.equal(body.replace(/\s/g, '').includes(long.message.replace(/\s/g, '')), true);
  });

  test('is created and linked, and can be created again once its link is removed', async () => {
    await github();
    const bugUid = await file({ message: 'The door is stuck' });
    const created = await ticketIssue(bugUid, 'POST');
    assert.equal(created.status, 201);
    assert.equal(created.body.data.issue_url, `${tracker.url}/issues/1`);
    assert.equal((await ticket(bugUid)).data.issue_url, `${tracker.url}/issues/1`);
    assert.equal(tracker.requests[0]?.body.title, 'The door is stuck');
    assert.equal((await ticketIssue(bugUid, 'POST')).status, 400);
    const path = `/games/${game.uid}/bugs/${bugUid}`;
    await callAs(server, game.owner, path, { method: 'PATCH', body: { issue_url: null } });
    const again = await ticketIssue(bugUid, 'POST', { title: 'Doors', body: 'Own words' });
    assert.equal(again.body.data.issue_url, `${tracker.url}/issues/2`);
    assert.deepEqual(tracker.requests[1]?.body, { title: 'Doors', body: 'Own words' });
  });

  test('is created once if several people ask for it at once', async () => {
    await github();
    const bugUid = await file({ message: 'The door is stuck' });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await ticketIssue(bugUid, 'POST')).status),
    );
    assert.deepEqual(statuses.toSorted(), [201, 400, 400, 400, 400, 400, 400, 400]);
    assert.equal(tracker.requests.length, 1);
  });

  test('is not linked if the tracker refuses it, and can be tried again', async () => {
    const bugUid = await file({ message: 'The door is stuck' });
    assert.equal((await ticketIssue(bugUid, 'POST')).status, 400, 'without a tracker');
    await github();
    tracker.answer = { status: 401, body: '{}' };
    const refused = await ticketIssue(bugUid, 'POST');
    assert.deepEqual([refused.status, refused.body.error?.code], [409, 4091]);
    assert.equal((await ticket(bugUid)).data.issue_url, null);
    tracker.answer = null;
    assert.equal((await ticketIssue(bugUid, 'POST')).status, 201);
  });

  test('is only for members of the game, about its own tickets', async () => {
    await github();
    const bugUid = await file({ message: 'The door is stuck' });
    const stranger = await makePlayer(server);
    const other = await makeSharedGame(server);
    for (const method of ['GET', 'POST']) {
      assert.equal((await ticketIssue(bugUid, method, {}, stranger)).status, 404);
      assert.equal((await ticketIssue(bugUid, method, {}, null)).status, 401);
      const path = `/games/${other.uid}/bugs/${bugUid}/issue`;
      const init = { method, ...(method === 'POST' && { body: {} }) };
      assert.equal((await callAs(server, other.owner, path, init)).status, 404);
    }
    assert.equal(tracker.requests.length, 0);
  });
});
