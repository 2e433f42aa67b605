// Bug tickets on a real server: filed by players, with dump and log; listed and updated by the game's members.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { type ApiResponse, makePlayer, startServer, stoppedClock, type TestServer } from './setup/server.ts';

let server: TestServer;
let now = Date.now();
before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => new Date(now) } });
});
after(() => server.stop());

function file(game: SharedGame, person: Person | null, fields: Record<string, unknown> = {}): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/bugs`, {
    method: 'POST',
    body: { message: 'The door is stuck', ...fields },
  });
}

function list(
  game: SharedGame,
  query: Record<string, string> = {},
  person: Person | null = game.owner,
): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/bugs?${new URLSearchParams(query)}`);
}

async function bugsOf(game: SharedGame, query: Record<string, string> = {}) {
  const { status, body } = await list(game, query);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.bugs;
}

function mark(game: SharedGame, uid: string, status: string, person: Person | null = game.owner): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/bugs/${uid}`, { method: 'PATCH', body: { status } });
}

describe('filing a bug', () => {
  test('creates an open ticket that members of the game can read', async () => {
    const game = await makeSharedGame(server);
    const player = await makePlayer(server);
    const buildId = await addBuild(server, game, { version: '2.1', os: 'windows' });
    const filed = await file(game, player, { build_id: buildId, arch: 'x64' });
    assert.equal(filed.status, 201);
    assert.deepEqual([filed.body.data.crash_id, filed.body.data.uploads], [null, {}]);
    const time = new Date(now).toISOString();
    assert.deepEqual(await bugsOf(game), [
      {
        bug_uid: filed.body.data.bug_uid,
        number: 1,
        title: 'The door is stuck',
        status: 'open',
        message: 'The door is stuck',
        steps: '',
        fixed_in_version: null,
        assignee: null,
        issue_url: null,
        build_id: buildId,
        version: '2.1',
        os: 'windows',
        arch: 'x86_64',
        crash_id: null,
        labels: [],
        group: null,
        duplicate_of: null,
        duplicates: [],
        can_reply: true,
        gets_mail: true,
        filed_by: 'Player',
        filed_at: time,
        updated_at: time,
      },
    ]);
  });

  test('needs no build', async () => {
    const game = await makeSharedGame(server);
    await file(game, await makePlayer(server), { os: 'win64' });
    const [bug] = await bugsOf(game);
    assert.deepEqual([bug.build_id, bug.version, bug.os, bug.arch], [null, null, 'windows', null]);
  });

  test('with a dump and a log opens a crash report for them', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const { data } = (await file(game, await makePlayer(server), { build_id: buildId, has_dump: true, has_log: true }))
      .body;
    assert.deepEqual(Object.keys(data.uploads).toSorted(), ['dump', 'log']);
    const sent = await fetch(data.uploads.log.url, { method: 'PUT', body: 'what went on' });
    assert.equal(sent.status, 200, await sent.text());
    assert.equal((await bugsOf(game))[0].crash_id, data.crash_id);
    const crash = (await callAs(server, game.owner, `/games/${game.uid}/crashes/${data.crash_id}`)).body.data;
    assert.deepEqual([crash.user_message, crash.build_id, crash.available], ['The door is stuck', buildId, ['log']]);
    await callAs(server, game.owner, `/games/${game.uid}/crashes/${data.crash_id}`, { method: 'DELETE' });
    assert.equal((await bugsOf(game))[0].crash_id, null);
  });

  test("succeeds without files past the game's daily limit of crash reports", async () => {
    const limited = await startServer({
      shareWith: server,
      role: 'api',
      clock: stoppedClock(),
      env: { CHAUFFEUR_LIMIT_CRASHES: '1' },
    });
    try {
      const game = await makeSharedGame(server);
      const body = { message: 'x', build_id: await addBuild(server, game), has_dump: true };
      const player = await makePlayer(server);
      const send = () => callAs(limited, player, `/games/${game.uid}/bugs`, { method: 'POST', body });
      assert.ok((await send()).body.data.uploads.dump);
      const second = await send();
      assert.deepEqual([second.status, second.body.data.crash_id, second.body.data.uploads], [201, null, {}]);
      assert.equal((await bugsOf(game)).length, 2);
    } finally {
      await limited.stop();
    }
  });

  test('is refused with 4006 for a build of another game, and with 4002 for files without a build', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const player = await makePlayer(server);
    const theirs = await addBuild(server, other);
    for (const build_id of [theirs, newId()])
      assert.deepEqual(statusOf(await file(game, player, { build_id })), [404, 4006]);
    const refused = await file(game, player, { has_log: true });
    assert.deepEqual(statusOf(refused), [400, 4002]);
    assert.match(refused.body.error?.message ?? '', /^build_id: /);
    for (const fields of [{ message: '' }, { message: 'x'.repeat(10_001) }, { os: 'amiga' }, { message: 7 }])
      assert.deepEqual(statusOf(await file(game, player, fields)), [400, 4002]);
    assert.deepEqual(await bugsOf(game), []);
  });

  test('is allowed for every account that may see the game, and no others', async () => {
    const player = await makePlayer(server);
    for (const [visibility, status] of [
      ['public', 201],
      ['invisible', 201],
      ['draft', 404],
    ] as const) {
      const game = await makeSharedGame(server, visibility);
      assert.equal((await file(game, player)).status, status, visibility);
      assert.equal((await file(game, game.admin)).status, 201);
      assert.deepEqual(statusOf(await file(game, null)), [401, 4011]);
    }
  });

  test('is limited to ten tickets a UTC day for each player over all games, even at once', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const player = await makePlayer(server);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => file(index % 2 === 0 ? game : other, player)),
    );
    assert.deepEqual(responses.filter(({ status }) => status === 201).length, 10);
    const refused = responses.find(({ status }) => status === 429);
    const untilMidnight = Math.ceil((DAY - (now % DAY)) / 1000);
    assert.equal(refused?.body.error?.code, 4290);
    assert.equal(refused?.body.error?.data.retry_after, untilMidnight);
    assert.equal(refused?.headers.get('retry-after'), String(untilMidnight));
    assert.equal((await file(game, await makePlayer(server))).status, 201);
    const today = now;
    try {
      now = today - (today % DAY) + DAY;
      assert.equal((await file(game, player)).status, 201);
    } finally {
      now = today;
    }
  });
});

describe('the list of bugs', () => {
  test('has pages, newest first, that stay correct while bugs are filed', async () => {
    const game = await makeSharedGame(server);
    const filed: string[] = [];
    for (let count = 0; count < 5; count += 1) filed.push((await file(game, game.owner)).body.data.bug_uid);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = (await list(game, { limit: '2', ...(cursor !== undefined && { cursor }) })).body;
      seen.push(...data.bugs.map(({ bug_uid }: { bug_uid: string }) => bug_uid));
      cursor = data.next_cursor ?? undefined;
      now += 1;
      await file(game, game.admin);
    } while (cursor !== undefined);
    assert.deepEqual(seen, filed.toSorted().toReversed());
  });

  test('is filtered by status, and cursors are only valid with the same filter', async () => {
    const game = await makeSharedGame(server);
    const uids: string[] = [];
    for (let count = 0; count < 3; count += 1) uids.push((await file(game, game.owner)).body.data.bug_uid);
    await mark(game, uids[1]!, 'fixed');
    assert.deepEqual(
      (await bugsOf(game, { status: 'fixed' })).map(({ bug_uid }: { bug_uid: string }) => bug_uid),
      [uids[1]],
    );
    assert.equal((await bugsOf(game, { status: 'open' })).length, 2);
    assert.deepEqual(await bugsOf(game, { status: 'closed' }), []);
    const cursor = (await list(game, { status: 'open', limit: '1' })).body.data.next_cursor;
    assert.deepEqual(statusOf(await list(game, { cursor })), [400, 4002]);
  });

  test('is only visible to members of the game', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const player = await makePlayer(server);
    const { bug_uid } = (await file(game, player)).body.data;
    assert.equal((await list(game, {}, game.admin)).status, 200);
    for (const person of [player, other.owner]) {
      assert.deepEqual(statusOf(await list(game, {}, person)), [404, 4040]);
      assert.deepEqual(statusOf(await mark(game, bug_uid, 'closed', person)), [404, 4040]);
    }
    assert.deepEqual(statusOf(await list(game, {}, null)), [401, 4011]);
    assert.deepEqual(statusOf(await mark(game, bug_uid, 'closed', null)), [401, 4011]);
    assert.deepEqual(statusOf(await mark(other, bug_uid, 'closed')), [404, 4040]);
    assert.equal((await bugsOf(game))[0].status, 'open');
  });
});

describe('a bug ticket', () => {
  test('has the same record as the list, for members of its game only', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const buildId = await addBuild(server, game, { version: '3.0' });
    const { bug_uid } = (await file(game, await makePlayer(server), { build_id: buildId })).body.data;
    const read = (at: SharedGame, person: Person | null, uid = bug_uid) =>
      callAs(server, person, `/games/${at.uid}/bugs/${uid}`);
    const { status, body } = await read(game, game.admin);
    assert.equal(status, 200);
    const { replies, screenshots, attachments, ...record } = body.data;
    assert.deepEqual([[record], replies, screenshots, attachments], [await bugsOf(game), [], [], []]);

    assert.deepEqual(statusOf(await read(game, other.owner)), [404, 4040]);
    assert.deepEqual(statusOf(await read(other, other.owner)), [404, 4040]);
    assert.deepEqual(statusOf(await read(game, game.owner, newId())), [404, 4040]);
    assert.deepEqual(statusOf(await read(game, game.owner, 'first')), [400, 4002]);
    assert.deepEqual(statusOf(await read(game, null)), [401, 4011]);
  });

  test('can change from any status to any other', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid } = (await file(game, game.owner)).body.data;
    const states = ['open', 'fixed', 'closed'];
    for (const from of states) {
      for (const to of states) {
        await mark(game, bug_uid, from);
        now += 1;
        const { status, body } = await mark(game, bug_uid, to, game.admin);
        assert.deepEqual(
          [status, body.data.status, body.data.updated_at],
          [200, to, new Date(now).toISOString()],
          `${from} → ${to}`,
        );
      }
    }
  });

  test('refuses an unknown status with 4002, and is 4040 if it does not exist', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid } = (await file(game, game.owner)).body.data;
    assert.deepEqual(statusOf(await mark(game, bug_uid, 'new')), [400, 4002]);
    assert.deepEqual(statusOf(await mark(game, newId(), 'fixed')), [404, 4040]);
  });
});
