// Every operation and every tool with every role on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, pathOf } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { isAtLeast, ROLE_NAMES, type Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { type AgentGame, callsOf, makeAgentGame, stateOf } from './setup/agent-game.ts';
import { codeOf, connect, makeKey } from './setup/agents.ts';
import { loginHeaders, signInCommand } from './setup/cli-logins.ts';
import { sendRaw } from './setup/raw.ts';
import { type Call, callOf, inWorkingOrder, makeSamples, requestOf, type Samples } from './setup/sample-calls.ts';
import { makeMember, makePlayer, request, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({
    // The issue tracker of the samples is on this machine.
    env: {
      CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1',
      CHAUFFEUR_LIMIT_AGENTS: '0',
      CHAUFFEUR_LIMIT_INVITATIONS: '0',
      CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS: '0',
    },
  });
});
after(() => server.stop());

const OPERATIONS_OF_GAMES: readonly Operation[] = OPERATIONS.filter(
  ({ access, path }) => access === 'account' && path.startsWith('/games/{uid}'),
);

test('whether someone is a member is checked before the body is read, so nothing of it costs time or is reported', async () => {
  const studio = await makeAgentGame(server);
  const { headers } = await makePlayer(server);
  const { organisation_id: organisation } = await onlyRow(
    server.ctx.db,
    sql<{ organisation_id: string }>`select organisation_id from games where game_id = ${studio.game.uid}`,
  );
  const withBody = OPERATIONS.filter(
    ({ access, role, body, path }) =>
      access === 'account' &&
      role !== undefined &&
      body !== undefined &&
      /^\/(games\/\{uid\}|organisations\/\{)/.test(path),
  );
  assert.ok(withBody.length > 40, `${withBody.length} operations`);
  for (const { id, method, path } of withBody) {
    const values: Record<string, string> = { uid: studio.game.uid, organisation, channel: 'stable' };
    const url = path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? newId());
    const sent = [
      ['Cookie', headers.cookie],
      ['Content-Type', 'application/json'],
      // Nothing of it is ever sent, so a server that waits for it never responds.
      ['Content-Length', '1000'],
    ] as const;
    const response = await sendRaw(server, { method, path: `/api/v1${url}`, headers: sent });
    assert.equal(response?.body?.error?.code, 4040, `${id}: ${response?.status} ${response?.text}`);
  }
});

/** Players call them as well. */
const OPEN_TO_PLAYERS = [
  ...['bugs.file', 'channels.joinBeta', 'channels.leaveBeta'],
  ...['follows.follow', 'follows.get', 'follows.unfollow'],
];

/** Only the author of a comment can change it. */
const ONLY_FOR_AUTHORS = ['crashes.updateComment', 'crashes.deleteComment'];

type TestPlayer = Awaited<ReturnType<typeof makePlayer>>;

type People = Readonly<Record<Role, { readonly cookie: string }>>;

/** A person with each role on the game alone. */
async function peopleOf({ game, owner }: AgentGame): Promise<People> {
  const lower = ROLE_NAMES.filter((role) => role !== 'owner');
  const members = await Promise.all(
    lower.map(async (role) => {
      const person = await makePlayer(server);
      await makeMember(server, game.uid, person, role);
      return [role, person.headers] as const;
    }),
  );
  return { ...Object.fromEntries(members), owner } as People;
}

/** Gives a person a role in the organisation of the game. */
async function join({ game }: AgentGame, person: TestPlayer, role: Role): Promise<void> {
  await changed(
    server.ctx.db,
    sql`insert into organisation_members (organisation_id, user_id, role)
      select organisation_id, ${person.id}, ${role} from games where game_id = ${game.uid}`,
  );
}

/** Sends the sample call about the game of the samples, as the person. */
async function send(operation: Operation, samples: Samples, call: Call, headers: Record<string, string>) {
  const isAboutGame = operation.path.startsWith('/games/{uid}');
  const { path, init } = requestOf(
    operation,
    samples,
    {
      ...call,
      path: { ...call.path, ...(isAboutGame && { uid: samples.values.uid ?? '' }) },
      headers: { ...call.headers, ...headers },
    },
    {},
  );
  const response = await fetch(server.api + path, init);
  const text = await response.text();
  const error = response.status < 400 ? undefined : JSON.parse(text).error;
  return { status: response.status, code: error?.code ?? 0, message: error?.message ?? '' };
}

test('every operation about a game needs a role, unless it is for players', () => {
  const without = OPERATIONS_OF_GAMES.filter(({ role }) => role === undefined).map(({ id }) => id);
  assert.deepEqual(without.sort(), OPEN_TO_PLAYERS);
  const shipping: readonly Operation[] = OPERATIONS.filter(({ access }) => access === 'deploy_key');
  assert.ok(shipping.every(({ role }) => role === 'developer'));
});

describe('an operation about a game', () => {
  test('is refused for every role below its own, which the message names, and hidden from strangers', async () => {
    const samples = await makeSamples(server);
    const people = await peopleOf(samples.studio);
    const stranger = await makePlayer(server);
    const before = await stateOf(server, samples.studio);
    for (const operation of OPERATIONS_OF_GAMES) {
      const { id, role } = operation;
      if (role === undefined) continue;
      const call = await callOf(samples, operation);
      assert.equal((await send(operation, samples, call, stranger.headers)).code, 4040, id);
      const checkRefusal = async (lower: Role) => {
        const { status, code, message } = await send(operation, samples, call, people[lower]);
        assert.deepEqual([status, code], [403, 4031], `${id} as ${lower}`);
        assert.match(message, new RegExp(`^Only .*${role}s.* of the game can do this. Your role is ${lower}.$`));
      };
      await Promise.all(ROLE_NAMES.filter((each) => !isAtLeast(each, role)).map(checkRefusal));
    }
    // What the samples prepare changes groups, builds and media; nothing else may have changed.
    const after = await stateOf(server, samples.studio);
    const [row, rowBefore] = [after[0] as Record<string, unknown>, before[0] as Record<string, unknown>];
    for (const name of ['keys', 'approvals', 'bugs']) assert.deepEqual(row[name], rowBefore[name], name);
  });

  test('succeeds for its own role', async () => {
    const samples = await makeSamples(server);
    const people = await peopleOf(samples.studio);
    for (const operation of inWorkingOrder(OPERATIONS_OF_GAMES)) {
      const { id, role } = operation;
      if (role === undefined || ONLY_FOR_AUTHORS.includes(id)) continue;
      const { headers, ...call } = await callOf(samples, operation);
      // A sample with its own person is about their own game.
      const sent = headers?.cookie === undefined ? { ...call, ...(headers && { headers }) } : null;
      if (sent === null) continue;
      const { status, code, message } = await send(operation, samples, sent, people[role]);
      assert.ok(status < 400, `${id} as ${role}: ${code} ${message}`);
    }
  });
});

describe('a role', () => {
  test('is the higher of those on the game and in its organisation', async () => {
    const studio = await makeAgentGame(server);
    const roleOf = async (person: TestPlayer) =>
      (await request(`${server.api}/games/${studio.game.uid}`, { headers: person.headers })).body.data.role;
    for (const [onGame, inOrganisation, expected] of [
      ['viewer', 'developer', 'developer'],
      ['admin', 'triager', 'admin'],
      ['triager', 'owner', 'owner'],
    ] as const) {
      const person = await makePlayer(server);
      await makeMember(server, studio.game.uid, person, onGame);
      await join(studio, person, inOrganisation);
      assert.equal(await roleOf(person), expected);
      const listed = await request(`${server.api}/games`, { headers: person.headers });
      assert.deepEqual(
        listed.body.data.games.map(({ game_uid, role }: Record<string, string>) => [game_uid, role]),
        [[studio.game.uid, expected]],
      );
    }
  });

  test('in an organisation reaches its games and no others', async () => {
    const [studio, other] = [await makeAgentGame(server), await makeAgentGame(server)];
    const person = await makePlayer(server);
    await join(studio, person, 'admin');
    const statusFor = async ({ game }: AgentGame) =>
      (await request(`${server.api}/games/${game.uid}`, { headers: person.headers })).status;
    assert.deepEqual([await statusFor(studio), await statusFor(other)], [200, 404]);
  });

  test('limits the tools of agents, also of a key that was created with a higher role', async () => {
    const studio = await makeAgentGame(server);
    const tools = (OPERATIONS as readonly Operation[]).filter(({ mcp }) => mcp !== undefined);
    for (const role of ['viewer', 'triager', 'developer', 'admin'] as const) {
      const person = await makePlayer(server);
      await makeMember(server, studio.game.uid, person, 'admin');
      const { key } = await makeKey(server, person.headers);
      await makeMember(server, studio.game.uid, person, role);
      const before = await stateOf(server, studio);
      const agent = await connect(server, key);
      for (const { mcp, role: needed, id, path } of tools) {
        if (needed === undefined || isAtLeast(role, needed) || id.startsWith('approvals.')) continue;
        const tool = mcp?.tool ?? '';
        // They are not members of the organisation.
        const expected = path.startsWith('/organisations/') ? 4040 : 4031;
        assert.equal(codeOf(await agent.call(tool, callsOf(studio)[tool]?.args)), expected, `${tool} as ${role}`);
      }
      await agent.close();
      assert.deepEqual(await stateOf(server, studio), before);
    }
  });

  test('limits a login of the command, which ships builds for developers only', async () => {
    const samples = await makeSamples(server);
    const { game } = samples.studio;
    const shipping: readonly Operation[] = OPERATIONS.filter(({ access }) => access === 'deploy_key');
    const person = await makePlayer(server);
    await makeMember(server, game.uid, person, 'developer');
    const { key } = await signInCommand(server, person.headers, { game: game.uid });
    const sendAll = async (work: (operation: Operation, code: number) => void) => {
      for (const operation of shipping) {
        const { code } = await send(operation, samples, {}, loginHeaders(key, game.uid));
        work(operation, code);
      }
    };
    await sendAll(({ id }, code) => assert.notEqual(code, 4031, id));
    for (const role of ['triager', 'viewer'] as const) {
      await makeMember(server, game.uid, person, role);
      await sendAll(({ id }, code) => assert.equal(code, 4031, `${id} as ${role}`));
      // A login cannot be approved for a game that the person cannot ship.
      await assert.rejects(signInCommand(server, person.headers, { game: game.uid }), /4031/);
    }
  });
});

describe('a sign-in that the organisation requires', () => {
  /** What people may do without it. */
  const OPEN = [...OPEN_TO_PLAYERS, 'games.leave', 'organisations.leave'];

  const setRequired = ({ game }: AgentGame, required: string | null) =>
    changed(
      server.ctx.db,
      sql`update organisations set required_sign_in = ${required} where organisation_id =
        (select organisation_id from games where game_id = ${game.uid})`,
    );

  test('is needed for every operation, with every role and either requirement', async () => {
    const samples = await makeSamples(server);
    const { studio } = samples;
    const people = await peopleOf(studio);
    const stranger = await makePlayer(server);
    const ofOrganisations: readonly Operation[] = OPERATIONS.filter(({ path }) => path.includes('{organisation}'));
    const ofApprovals: readonly Operation[] = OPERATIONS.filter(({ path }) => path.startsWith('/approvals/{uid}'));
    for (const operation of inWorkingOrder([...OPERATIONS_OF_GAMES, ...ofOrganisations, ...ofApprovals])) {
      const { id, role = 'owner' } = operation;
      if (OPEN.includes(id)) continue;
      const { headers: _, path = {}, ...rest } = await callOf(samples, operation);
      // Some samples are about organisations and their own games.
      const { organisation: __, ...ids } = path;
      const sample = { ...rest, path: ids };
      const isOfGame = OPERATIONS_OF_GAMES.includes(operation);
      for (const required of ['second_factor', 'single_sign_on']) {
        await setRequired(studio, required);
        const checkRefusal = async (caller: Role) => {
          const { status, code } = await send(operation, samples, sample, people[caller]);
          assert.deepEqual([status, code], [403, 4035], `${id} as ${caller} with ${required}`);
        };
        await Promise.all([
          ...(isOfGame ? ROLE_NAMES.filter((each) => isAtLeast(each, role)) : (['owner'] as const)).map(checkRefusal),
          send(operation, samples, sample, stranger.headers).then(({ code }) =>
            assert.equal(code, 4040, `${id} as a stranger`),
          ),
        ]);
      }
      await setRequired(studio, null);
    }
  });

  test('is needed for every tool, and for every operation of a login of the command', async () => {
    const samples = await makeSamples(server);
    const { studio } = samples;
    const { owner, game } = studio;
    const { key } = await makeKey(server, owner);
    const login = await signInCommand(server, owner, { game: game.uid });
    await setRequired(studio, 'second_factor');
    const before = await stateOf(server, studio);
    const agent = await connect(server, key);
    for (const [tool, { args, strangerCode = 4035 }] of Object.entries(callsOf(studio))) {
      const result = await agent.call(tool, args);
      // What players may see stays visible.
      assert.equal(codeOf(result), strangerCode, tool);
      assert.ok(!JSON.stringify(result).includes(game.uid), `${tool} names the game`);
    }
    await agent.close();
    const shipping: readonly Operation[] = OPERATIONS.filter(({ access }) => access === 'deploy_key');
    for (const operation of shipping) {
      const { code } = await send(operation, samples, {}, loginHeaders(login.key, game.uid));
      assert.equal(code, 4035, operation.id);
    }
    assert.deepEqual(await stateOf(server, studio), before);
    // Deploy keys are machines.
    const info = await request(`${server.api}/tool/info`, { headers: game.keyHeaders });
    assert.equal(info.status, 200);
  });

  test('hides games from lists and from what is not about one game', async () => {
    const samples = await makeSamples(server);
    const { studio } = samples;
    await setRequired(studio, 'second_factor');
    const others: readonly Operation[] = OPERATIONS.filter(
      ({ access, method, path }) => access === 'account' && method === 'GET' && !path.includes('{'),
    );
    /** What works without a password, which people revoke in an emergency, and what their agents called. */
    const own = ['credentials.get', 'agents.ownCalls', 'agents.keys', 'agents.connections', 'cliLogins.list'];
    for (const operation of others) {
      const path = pathOf(operation, {});
      const response = await fetch(`${server.api}${path}`, { headers: studio.owner });
      const text = await response.text();
      const isShown = text.includes(studio.game.uid) || text.includes(studio.game.slug);
      assert.ok(!isShown || own.includes(operation.id), `${operation.id}: ${text.slice(0, 300)}`);
    }
  });
});

describe('an approval', () => {
  test('is decided by any owner, and requested only by people whose role allows the change by itself', async () => {
    const studio = await makeAgentGame(server);
    const [requester, owner] = [await makePlayer(server), await makePlayer(server)];
    await makeMember(server, studio.game.uid, requester, 'developer');
    await join(studio, owner, 'owner');
    const ask = async (headers: { cookie: string }) => {
      const agent = await connect(server, (await makeKey(server, headers)).key);
      const args = { uid: studio.game.uid, build_id: studio.buildId };
      const { structuredContent } = await agent.call('delete_build', args);
      await agent.close();
      return structuredContent?.approval.uid as string;
    };
    const decide = (headers: { cookie: string }, uid: string) =>
      request(`${server.api}/approvals/${uid}/decide`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ approve: true }),
      });
    const uid = await ask(requester.headers);
    assert.equal((await decide(requester.headers, uid)).body.error?.code, 4031);
    await makeMember(server, studio.game.uid, requester, 'triager');
    const outdated = await decide(owner.headers, uid);
    assert.equal(outdated.body.error?.code, 4217);
    assert.match(outdated.body.error?.message ?? '', /is now a triager/);
    await makeMember(server, studio.game.uid, requester, 'developer');
    const decided = await decide(owner.headers, uid);
    assert.equal(decided.status, 200, JSON.stringify(decided.body));
    assert.equal(decided.body.data.status, 'approved');
    assert.notEqual(decided.body.data.decided_by, null);
  });
});
