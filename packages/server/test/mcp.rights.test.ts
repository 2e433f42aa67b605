// Permissions over MCP on the real server: every tool with every kind of wrong token, and the limits of a token for one
// game.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { DAY } from '../src/kernel/clock.ts';
import { type AgentGame, callsOf, makeAgentGame, stateOf } from './setup/agent-game.ts';
import { type Agent, type AgentKey, codeOf, connect, makeKey, revokeKey } from './setup/agents.ts';
import { callApi } from './setup/api-calls.ts';
import { makeAdmin, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

const marks = OPERATIONS.flatMap(({ mcp }) => (mcp === undefined ? [] : [mcp]));
const tools = marks.map(({ tool }) => tool);
const writes = marks.filter(({ scope }) => scope === 'mcp:write').map(({ tool }) => tool);

let now = Date.now();
let server: TestServer;
/** Two games of different owners. */
let mine: AgentGame;
let theirs: AgentGame;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_AGENTS: '0' }, clock: { now: () => new Date(now) } });
  mine = await makeAgentGame(server);
  theirs = await makeAgentGame(server);
});
after(() => server.stop());

/** One raw call without a client. */
function callBare(tool: string, args: object, headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
  });
}

async function asAgent<T>(key: AgentKey, work: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = await connect(server, key.key);
  try {
    return await work(agent);
  } finally {
    await agent.close();
  }
}

/** The error code of each tool called about the studio, keyed by tool. */
function codesAbout(key: AgentKey, studio: AgentGame): Promise<Record<string, number>> {
  return asAgent(key, async (agent) => {
    const codes: Record<string, number> = {};
    for (const [tool, { args }] of Object.entries(callsOf(studio))) codes[tool] = codeOf(await agent.call(tool, args));
    return codes;
  });
}

describe('every tool', () => {
  test('is called by these tests', () => {
    assert.deepEqual(Object.keys(callsOf(mine)).sort(), [...tools].sort());
    assert.equal(new Set(tools).size, tools.length);
  });

  test('is refused without a token before anything is read, with a pointer to the authorization server', async () => {
    const revoked = await makeKey(server, mine.owner);
    await revokeKey(server, mine.owner, revoked);
    const expired = await makeKey(server, mine.owner, { expiresInDays: 1 });
    const before = await stateOf(server, mine);
    now += 2 * DAY;
    const wrong: [string, Record<string, string>][] = [
      ['none', {}],
      ['a session', mine.owner],
      ['a deploy key', mine.game.keyHeaders],
      ['another scheme', { authorization: `Basic ${btoa(`x:${expired.key}`)}` }],
      ['made up', { authorization: 'Bearer chf_mcp_abcdefghijkmnopqrstuvwxyz2345678' }],
      ['cut short', { authorization: `Bearer ${expired.key.slice(0, -1)}` }],
      ['revoked', { authorization: `Bearer ${revoked.key}` }],
      ['expired', { authorization: `Bearer ${expired.key}` }],
    ];
    for (const [kind, headers] of wrong) {
      for (const [tool, { args }] of Object.entries(callsOf(mine))) {
        const response = await callBare(tool, args, headers);
        assert.equal(response.status, 401, `${tool} with ${kind}`);
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer .*resource_metadata=/);
        await response.body?.cancel();
      }
    }
    assert.deepEqual(await stateOf(server, mine), before);
    now -= 2 * DAY;
  });

  test('that changes something is refused for a read-only token', async () => {
    const before = await stateOf(server, mine);
    const codes = await codesAbout(await makeKey(server, mine.owner, { mayWrite: false }), mine);
    for (const tool of tools) assert.equal(codes[tool], writes.includes(tool) ? 4031 : 0, tool);
    assert.deepEqual(await stateOf(server, mine), before);
  });

  test('hides the games of others from a token limited to one game', async () => {
    const before = await stateOf(server, theirs);
    const codes = await codesAbout(await makeKey(server, mine.owner, { game: mine.game.slug }), theirs);
    for (const tool of tools)
      assert.equal(codes[tool], ['list_games', 'list_organisations'].includes(tool) ? 0 : 4040, tool);
    assert.deepEqual(await stateOf(server, theirs), before);
  });

  test('hides other games of the same person from a token limited to one game', async () => {
    await makeAdmin(server, theirs.game.uid, mine.game.owner);
    const before = await stateOf(server, theirs);
    const bound = await makeKey(server, mine.owner, { game: mine.game.uid });
    const codes = await codesAbout(bound, theirs);
    for (const tool of tools)
      assert.equal(codes[tool], ['list_games', 'list_organisations'].includes(tool) ? 0 : 4040, tool);
    assert.deepEqual(await stateOf(server, theirs), before);
    const listed = await asAgent(bound, (agent) => agent.call('list_games'));
    assert.deepEqual(
      listed.structuredContent.games.map(({ game_uid }: { game_uid: string }) => game_uid),
      [mine.game.uid],
    );
    const open = await codesAbout(await makeKey(server, mine.owner, { mayWrite: false }), theirs);
    assert.equal(open.get_crash, 0);
  });

  test('shows a stranger only what every player can see', async () => {
    const stranger = await makePlayer(server);
    const before = await stateOf(server, mine);
    const codes = await codesAbout(await makeKey(server, stranger.headers), mine);
    for (const [tool, { strangerCode = 4040 }] of Object.entries(callsOf(mine)))
      assert.equal(codes[tool], strangerCode, tool);
    assert.deepEqual(await stateOf(server, mine), before);
  });

  test('succeeds for a caller with access', async () => {
    const codes = await codesAbout(await makeKey(server, mine.owner), mine);
    for (const [tool, { code = 0 }] of Object.entries(callsOf(mine))) assert.equal(codes[tool], code, tool);
  });
});

describe('a token limited to one game', () => {
  test('cannot read resources of another game', async () => {
    const key = await makeKey(server, mine.owner, { game: mine.game.uid });
    await asAgent(key, async ({ client }) => {
      const { resources } = await client.listResources();
      assert.ok(resources.length > 0 && resources.every(({ uri }) => uri.includes(mine.game.uid)));
      const { resourceTemplates } = await client.listResourceTemplates();
      for (const { uriTemplate } of resourceTemplates) {
        const read = ({ game, crashId }: AgentGame) =>
          client.readResource({ uri: uriTemplate.replace('{uid}', game.slug).replace('{crash_id}', crashId) });
        assert.equal((await read(mine)).contents.length, 1, uriTemplate);
        await assert.rejects(read(theirs), /not found/i, uriTemplate);
      }
    });
  });

  test('cannot use the cursor of another list, game or filter', async () => {
    const both = await makeKey(server, mine.owner);
    const args = { uid: theirs.game.uid, limit: 1 };
    const page = await asAgent(both, (agent) => agent.call('list_game_builds', args));
    const cursor: string = page.structuredContent.next_cursor;
    assert.ok(cursor);
    const bound = await makeKey(server, mine.owner, { game: mine.game.uid });
    await asAgent(bound, async (agent) => {
      assert.equal(codeOf(await agent.call('list_game_builds', { uid: mine.game.uid, cursor })), 4002);
      assert.equal(codeOf(await agent.call('list_game_builds', { uid: theirs.game.uid, cursor })), 4040);
      assert.equal(codeOf(await agent.call('list_game_crashes', { uid: mine.game.uid, cursor })), 4002);
    });
  });

  test('cannot get a crash of another game by its id', async () => {
    const key = await makeKey(server, mine.owner, { game: mine.game.uid });
    await asAgent(key, async (agent) => {
      const crash = { uid: mine.game.uid, crash_id: theirs.crashId };
      assert.equal(codeOf(await agent.call('get_crash', crash)), 4040);
      assert.equal(codeOf(await agent.call('request_crash_download', { ...crash, kind: 'stack' })), 4040);
    });
  });

  test('stops working when the person is no longer a member of the game', async () => {
    const key = await makeKey(server, mine.owner, { game: theirs.game.uid });
    const args = { uid: theirs.game.uid };
    await asAgent(key, async (agent) => {
      assert.equal(codeOf(await agent.call('list_channels', args)), 0);
      await request(`${server.api}/games/${theirs.game.uid}/admins/${mine.game.owner.id}`, {
        method: 'DELETE',
        headers: theirs.owner,
      });
      assert.equal(codeOf(await agent.call('list_channels', args)), 4040);
    });
  });
});

test('a link to a crash works for one object and one hour', async () => {
  const key = await makeKey(server, mine.owner, { mayWrite: false });
  const args = { uid: mine.game.uid, crash_id: mine.crashId, kind: 'stack' };
  const { structuredContent } = await asAgent(key, (agent) => agent.call('request_crash_download', args));
  assert.equal((await fetch(structuredContent.url)).status, 200);
  now += 3_601_000;
  assert.equal((await fetch(structuredContent.url)).status, 404);
  now -= 3_601_000;
});

/**
 * The rows of the table in docs/mcp.md: the tool, the channel if the row is about one channel, and whether it waits for
 * approval.
 */
async function readDocumentedTools(): Promise<{ tool: string; channel?: string; waits: boolean }[]> {
  const text = await readFile(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
  const rows = text.matchAll(/^\| `(\w+)`(?: (?:to|on) (.+?))? \| (waits|immediate) \|/gm);
  return [...rows].map(([, tool = '', to, word]) => ({
    tool,
    ...(to !== undefined && { channel: to === '`stable`' ? 'stable' : 'nightly' }),
    waits: word === 'waits',
  }));
}

/** Promotes a version as the owner. Returns the id of the change. */
async function promote({ game, owner }: AgentGame, channel = ''): Promise<string> {
  const path = `/games/${game.uid}/channels/${channel}/promote-version`;
  const { body } = await callApi(server, owner, 'POST', path, { version: '1.0' });
  return body.data.change_uid;
}

const ROLLOUT_TOOLS = ['resume_rollout', 'set_rollout_share', 'finish_rollout'];

/** Makes the channel offer a version that is older than 5.0. */
async function prepareRollout({ game, owner }: AgentGame, channel = ''): Promise<void> {
  await shipAndScan(server, game, { version: '5.0', channel: 'dev' });
  const path = `/games/${game.uid}/channels/${channel}`;
  await callApi(server, owner, 'POST', `${path}/promote-version`, { version: '1.0' });
}

/** Starts a rollout as the owner, and ends the one before. Returns its id. */
async function startRollout(studio: AgentGame, channel: string, isPaused: boolean): Promise<string> {
  await prepareRollout(studio, channel);
  const { game, owner } = studio;
  const path = `/games/${game.uid}/channels/${channel}/rollouts`;
  const { body } = await callApi(server, owner, 'POST', path, { version: '5.0' });
  const id: string = body.data.rollout_id;
  if (isPaused) await callApi(server, owner, 'POST', `/games/${game.uid}/rollouts/${id}/pause`);
  return id;
}

describe('docs/mcp.md', () => {
  test('lists exactly the tools that change something', async () => {
    const documented = await readDocumentedTools();
    assert.deepEqual([...new Set(documented.map(({ tool }) => tool))].sort(), [...writes].sort());
  });

  test('states correctly for each tool whether it waits for the owner', async () => {
    const studio = await makeAgentGame(server);
    const calls = callsOf(studio);
    const key = await makeKey(server, studio.owner);
    await asAgent(key, async (agent) => {
      for (const { tool, channel, waits } of await readDocumentedTools()) {
        const args = { ...calls[tool]?.args, ...(channel !== undefined && { channel }) } as Record<string, unknown>;
        if (tool === 'start_rollout') await prepareRollout(studio, channel);
        if (tool === 'start_rollout') args.version = '5.0';
        if (ROLLOUT_TOOLS.includes(tool) && channel !== undefined) {
          Object.assign(args, { rollout_id: await startRollout(studio, channel, tool === 'resume_rollout') });
          delete args.channel;
        }
        if (tool === 'undo_channel_change') Object.assign(args, { change_uid: await promote(studio, channel) });
        const { structuredContent = {} } = await agent.call(tool, args);
        assert.equal(structuredContent.code === 4214, waits, `${tool} ${channel ?? ''}`);
      }
      const { structuredContent } = await agent.call('rollback_channel', { uid: studio.game.uid, channel: 'stable' });
      assert.equal(structuredContent?.code, undefined, 'a rollback of stable is immediate');
    });
  });
});
