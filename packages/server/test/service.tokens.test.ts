// Every operation with API tokens on the real server: without its scope, for another game, and with all scopes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, tokenScopeOf } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { TOKEN_SCOPES } from '@chauffeur/contract/token-scopes';
import { callApi } from './setup/api-calls.ts';
import { bearer, createToken } from './setup/api-tokens.ts';
import { type Call, callOf, inWorkingOrder, makeSamples, requestOf, type Samples } from './setup/sample-calls.ts';
import { startServer, type TestServer } from './setup/server.ts';

const ALL: readonly Operation[] = OPERATIONS;

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

/** Sends the sample call with these credentials instead of the sample's. */
async function send(operation: Operation, samples: Samples, call: Call, headers: Record<string, string>) {
  const { headers: own, ...rest } = call;
  const others = Object.fromEntries(
    Object.entries(own ?? {}).filter(([name]) => !/cookie|x-access|x-secret/i.test(name)),
  );
  const { path, init } = requestOf(operation, samples, { ...rest, headers: { ...others, ...headers } }, {});
  const response = await fetch(server.api + path, init);
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '' : await response.text();
  await (isStream ? response.body?.cancel() : undefined);
  const error = response.status < 400 ? undefined : JSON.parse(text).error;
  return { status: response.status, code: error?.code ?? 0, message: error?.message ?? '' };
}

const acceptsToken = (operation: Operation) => tokenScopeOf(operation) !== null;

describe('a token with every scope', () => {
  test('is refused by each operation that is not for tokens, even next to the cookie of an operator', async () => {
    const samples = await makeSamples(server);
    const { owner } = samples.studio;
    const token = bearer(await createToken(server, owner));
    const closed = ALL.filter((operation) => operation.access !== 'public' && !acceptsToken(operation));
    assert.ok(closed.length > 50, `${closed.length} operations`);
    for (const operation of closed)
      for (const headers of [token, { ...owner, ...token }]) {
        const { status, code } = await send(operation, samples, {}, headers);
        assert.deepEqual([status, code], [403, 4036], operation.id);
      }
  });

  test('is accepted by each operation with a scope', async () => {
    const samples = await makeSamples(server);
    const { game, owner } = samples.studio;
    const headers = { ...bearer(await createToken(server, owner)), 'x-app-id': game.uid };
    for (const operation of inWorkingOrder(ALL.filter(acceptsToken))) {
      const call = await callOf(samples, operation);
      // A sample with its own person is about their own game.
      if (call.headers?.cookie !== undefined) continue;
      const { status, code, message } = await send(operation, samples, call, headers);
      assert.ok(status < 400, `${operation.id}: ${code} ${message}`);
    }
  });
});

describe('each operation with a scope', () => {
  test('is refused without the scope, before anything else of the request is looked at', async () => {
    const samples = await makeSamples(server);
    const { game, owner } = samples.studio;
    for (const scope of TOKEN_SCOPES) {
      const [area] = scope.split(':');
      const others = TOKEN_SCOPES.filter((each) => each !== scope && each !== `${area}:write`);
      const token = await createToken(server, owner, { scopes: others });
      for (const operation of ALL.filter((each) => tokenScopeOf(each) === scope)) {
        const { status, code, message } = await send(
          operation,
          samples,
          {},
          { ...bearer(token), 'x-app-id': game.uid },
        );
        assert.deepEqual([status, code], [403, 4034], operation.id);
        assert.ok(message.includes(scope), operation.id);
      }
    }
  });

  test('is refused for a game that the token does not include, and changes and reveals nothing of it', async () => {
    const samples = await makeSamples(server);
    const { game, owner } = samples.studio;
    // Its owner has two games, and the token includes only the other one.
    const other = (await callApi(server, owner, 'POST', '/games', { name: 'Another game' })).body.data;
    const created = await createToken(server, owner, { games: [other.game_uid] });
    const limited = { ...bearer(created), 'x-app-id': game.uid };
    // The samples themselves add members.
    const readGame = async () => ({
      ...(await callApi(server, owner, 'GET', `/games/${game.uid}`)).body.data,
      members: [],
    });
    const beforehand = await readGame();
    const open: string[] = [];
    for (const operation of ALL.filter(acceptsToken)) {
      const call = await callOf(samples, operation);
      if (call.headers?.cookie !== undefined) continue;
      const { status, code } = await send(operation, samples, call, limited);
      if (status < 400) open.push(operation.id);
      else assert.ok([4036, 4040, 4052].includes(code), `${operation.id}: ${code}`);
    }
    assert.deepEqual(open.toSorted(), [
      // A list with the game of the token, and what is about no game.
      'games.list',
      'store.renderMarkdown',
    ]);
    const { games } = (await callApi(server, limited, 'GET', '/games')).body.data;
    assert.deepEqual(
      games.map(({ game_uid }: { game_uid: string }) => game_uid),
      [other.game_uid],
    );
    assert.deepEqual(await readGame(), beforehand);
  });
});
