// Personal keys and the agent activity log on the real server: who creates, sees and revokes keys, and how long entries
// are kept.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { DAY } from '../src/kernel/clock.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { forgetAgents } from '../src/team/agents/agents.ts';
import { type AgentKey, codeOf, connect, makeKey, revokeKey } from './setup/agents.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { registerClient } from './setup/oauth.ts';
import {
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';

const logged: string[] = [];
let now = Date.now();
let server: TestServer;
let game: TestGame;
let owner: { cookie: string };
before(async () => {
  server = await startServer({
    log: createLog('trace', { write: (line: string) => logged.push(line) }),
    clock: { now: () => new Date(now) },
  });
  game = await makeGame(server);
  owner = await signIn(server, game.owner);
});
after(() => server.stop());

async function keysOf(headers = owner, query = '') {
  const { body } = await request(`${server.api}/account/agent-keys${query}`, { headers });
  return body.data as {
    keys: (AgentKey & {
      name: string;
      revoked_at: string | null;
      last_used_at: string | null;
      game: { slug: string } | null;
    })[];
    next_cursor: string | null;
  };
}

async function callOnce(key: AgentKey, tool = 'list_channels', args: object = { uid: game.slug }): Promise<number> {
  const agent = await connect(server, key.key);
  const code = codeOf(await agent.call(tool, { ...args }));
  await agent.close();
  return code;
}

function callsOf(uid: string, headers = owner, query = '') {
  return request(`${server.api}/games/${uid}/agent-calls${query}`, { headers });
}

describe('a personal key', () => {
  test('is shown once and stored nowhere', async () => {
    const key = await makeKey(server, owner, { name: 'Laptop' });
    assert.match(key.key, /^chf_mcp_[A-Za-z2-9]{32}$/);
    assert.ok(key.key.startsWith(key.key_ref) && key.key_ref.length === 14);
    assert.equal(await callOnce(key), 0);
    const listed = JSON.stringify(await keysOf());
    assert.ok(listed.includes(key.key_ref) && !listed.includes(key.key));
    assert.equal((await readWholeDatabase(server.ctx.db)).includes(key.key), false);
    assert.equal(logged.join('').includes(key.key), false);
  });

  test('is listed with its scope and last use, newest first, in pages', async () => {
    const person = await makePlayer(server);
    for (const name of ['a', 'b', 'c']) {
      now += 1000;
      await makeKey(server, person.headers, { name });
    }
    const first = await keysOf(person.headers, '?limit=2');
    assert.deepEqual(
      first.keys.map(({ name }) => name),
      ['c', 'b'],
    );
    const second = await keysOf(person.headers, `?limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual([second.keys.map(({ name }) => name), second.next_cursor], [['a'], null]);
    const bound = await makeKey(server, owner, { game: game.slug, name: 'Bound' });
    await callOnce(bound);
    const listed = (await keysOf()).keys.find(({ key_id }) => key_id === bound.key_id);
    assert.deepEqual([listed?.game?.slug, listed?.last_used_at], [game.slug, new Date(now).toISOString()]);
  });

  test('belongs to one person: others can neither see nor revoke it, nor create one for a game they are not in', async () => {
    const key = await makeKey(server, owner);
    const stranger = await makePlayer(server);
    assert.deepEqual((await keysOf(stranger.headers)).keys, []);
    assert.equal((await revokeKey(server, stranger.headers, key)).status, 404);
    await assert.rejects(makeKey(server, stranger.headers, { game: game.slug }), /4040/);
    assert.equal(await callOnce(key), 0);
  });

  test('gives no access to the HTTP API, not even to create another key', async () => {
    const { key } = await makeKey(server, owner);
    for (const path of ['/games', '/account/agent-keys', `/games/${game.uid}/agent-calls`]) {
      const response = await request(`${server.api}${path}`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.status, 401, path);
    }
  });

  test('stays revoked and keeps the time of its revocation', async () => {
    const key = await makeKey(server, owner);
    const first = await revokeKey(server, owner, key);
    now += 60_000;
    const second = await revokeKey(server, owner, key);
    assert.equal(second.body.data.revoked_at, first.body.data.revoked_at);
    await assert.rejects(callOnce(key));
  });

  test('counts toward a limit on active keys', async () => {
    const person = await makePlayer(server);
    const keys: AgentKey[] = [];
    for (let index = 0; index < LIMITS.agentKeys; index += 1) keys.push(await makeKey(server, person.headers));
    await assert.rejects(makeKey(server, person.headers), /4002/);
    await revokeKey(server, person.headers, keys[0]!);
    await makeKey(server, person.headers);
  });
});

describe('the agent activity log', () => {
  test('shows the owner who called which tool for whom, and the result', async () => {
    const own = await makeGame(server);
    const session = await signIn(server, own.owner);
    const key = await makeKey(server, session, { name: 'Night owl', mayWrite: false });
    await callOnce(key, 'list_channels', { uid: own.slug });
    now += 1000;
    await callOnce(key, 'request_deploy_key', { uid: own.uid });
    const { calls } = (await callsOf(own.uid, session)).body.data;
    assert.deepEqual(
      calls.map(({ tool, outcome, user, agent }: Record<string, unknown>) => ({ tool, outcome, user, agent })),
      [
        {
          tool: 'request_deploy_key',
          outcome: 4031,
          user: 'Owner',
          agent: { kind: 'key', id: key.key_id, name: 'Night owl' },
        },
        { tool: 'list_channels', outcome: 0, user: 'Owner', agent: { kind: 'key', id: key.key_id, name: 'Night owl' } },
      ],
    );
    assert.equal(calls[0].at, new Date(now).toISOString());
    const failed = (await callsOf(own.uid, session, '?failed=only')).body.data.calls;
    assert.deepEqual(
      failed.map(({ tool }: { tool: string }) => tool),
      ['request_deploy_key'],
    );
    const first = (await callsOf(own.uid, session, '?limit=1')).body.data;
    const second = (await callsOf(own.uid, session, `?limit=1&cursor=${first.next_cursor}`)).body.data;
    assert.deepEqual([second.calls[0].tool, second.next_cursor], ['list_channels', null]);
    assert.equal((await callsOf(own.uid, session, `?failed=only&cursor=${first.next_cursor}`)).body.error?.code, 4002);
  });

  test("includes calls of admins' programs but is not visible to admins", async () => {
    const admin = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const key = await makeKey(server, admin.headers, { name: 'Admin’s' });
    assert.equal(await callOnce(key), 0);
    const [newest] = (await callsOf(game.uid)).body.data.calls;
    assert.deepEqual([newest.agent.name, newest.user], ['Admin’s', 'Player']);
    assert.equal((await callsOf(game.uid, admin.headers)).body.error?.code, 4031);
  });

  test('contains no attempts of strangers and is not visible to them', async () => {
    const stranger = await makePlayer(server);
    const key = await makeKey(server, stranger.headers, { name: 'Stranger' });
    assert.equal(await callOnce(key), 4040);
    const { calls } = (await callsOf(game.uid)).body.data;
    assert.equal(
      calls.some(({ agent }: { agent: { name: string } }) => agent.name === 'Stranger'),
      false,
    );
    assert.equal((await callsOf(game.uid, stranger.headers)).status, 404);
  });

  test('of a person includes calls that reached no game', async () => {
    const person = await makePlayer(server);
    const own = await makeGame(server);
    const ownersSession = await signIn(server, own.owner);
    await makeAdmin(server, own.uid, person);
    const key = await makeKey(server, person.headers, { name: 'Desk' });
    await callOnce(key, 'list_games', {});
    now += 1000;
    await callOnce(key, 'list_channels', { uid: game.slug });
    now += 1000;
    await callOnce(key, 'list_channels', { uid: own.slug });
    const read = async (query = '') =>
      (await request(`${server.api}/account/agent-calls${query}`, { headers: person.headers })).body.data;
    const summarize = ({ tool, outcome, game }: { tool: string; outcome: number; game: { slug: string } | null }) =>
      [tool, outcome, game?.slug ?? null] as const;
    const { calls } = await read();
    assert.deepEqual(calls.map(summarize), [
      ['list_channels', 0, own.slug],
      ['list_channels', 4040, null],
      ['list_games', 0, null],
    ]);
    const first = await read('?limit=2');
    const second = await read(`?limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual([second.calls.map(summarize), second.next_cursor], [[['list_games', 0, null]], null]);
    assert.deepEqual((await read('?failed=only')).calls.map(summarize), [['list_channels', 4040, null]]);
    assert.equal((await request(`${server.api}/account/agent-calls`)).body.error?.code, 4011);
    await request(`${server.api}/games/${own.uid}/admins/${person.id}`, { method: 'DELETE', headers: ownersSession });
    assert.equal((await read('?limit=1')).calls[0].game, null);
  });

  test('includes resource reads', async () => {
    now += 1000;
    const agent = await connect(server, (await makeKey(server, owner)).key);
    await agent.client.readResource({ uri: `chauffeur://${game.uid}/deploy` });
    await agent.close();
    const { calls } = (await callsOf(game.uid)).body.data;
    assert.equal(calls[0].tool, 'resource:deploy');
  });

  test('is deleted after its retention time, as are revoked keys and programs that never connected', async () => {
    const key = await makeKey(server, owner, { name: 'Old' });
    await callOnce(key);
    await revokeKey(server, owner, key);
    const client = await registerClient(server);
    now += 40 * DAY;
    await forgetAgents(server.ctx);
    assert.equal(
      (await keysOf()).keys.some(({ key_id }) => key_id === key.key_id),
      false,
    );
    assert.ok((await callsOf(game.uid)).body.data.calls.length > 0);
    const { status } = await request(`${server.api}/account/agent-client?client_id=${client.client_id}`, {
      headers: owner,
    });
    assert.equal(status, 404);
    now += 60 * DAY;
    await forgetAgents(server.ctx);
    assert.deepEqual((await callsOf(game.uid)).body.data.calls, []);
    now -= 100 * DAY;
  });
});
