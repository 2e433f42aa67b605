// The tokens of programs connected through OAuth on the real server: bound to this resource, refreshed and revoked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { codeOf, connect } from './setup/agents.ts';
import {
  codeFields,
  connectProgram,
  exchangeCode,
  giveConsent,
  pingMcp,
  refresh,
  registerClient,
  requestConsent,
  requestTokens,
} from './setup/oauth.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';

let server: TestServer;
let game: TestGame;
let other: TestGame;
let session: { cookie: string };

before(async () => {
  server = await startServer();
  game = await makeGame(server);
  session = await signIn(server, game.owner);
  other = await makeGame(server);
});
after(() => server.stop());

async function connections(cookie = session.cookie) {
  const { body } = await request(`${server.api}/account/agent-connections`, { headers: { cookie } });
  return body.data.connections as {
    connection_id: string;
    name: string;
    may_write: boolean;
    game: { slug: string } | null;
  }[];
}

describe('tokens', () => {
  test('expire soon and grant exactly the agreed scope', async () => {
    const tokens = await connectProgram(server, session.cookie, { game: game.slug });
    assert.ok(tokens.expires_in <= 600);
    assert.equal(tokens.scope, 'mcp:read mcp:write offline_access');
    const agent = await connect(server, tokens.access_token);
    const { structuredContent } = await agent.call('list_games');
    assert.deepEqual(
      structuredContent.games.map(({ game_uid }: { game_uid: string }) => game_uid),
      [game.uid],
    );
    await agent.close();
    const [newest] = await connections();
    assert.deepEqual({ name: newest?.name, slug: newest?.game?.slug }, { name: 'Test program', slug: game.slug });
  });

  test('are bound to this resource even if the program does not name it', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    const { body } = await exchangeCode(server, consentRequest, redirect);
    assert.equal((await pingMcp(server, body.access_token)).status, 200);
  });

  test('without write scope cannot change anything, whichever side restricted them', async () => {
    for (const consent of [{ mayWrite: false }, { scope: 'mcp:read offline_access' }]) {
      const tokens = await connectProgram(server, session.cookie, consent);
      const agent = await connect(server, tokens.access_token);
      assert.equal(codeOf(await agent.call('list_channels', { uid: game.uid })), 0);
      assert.equal(codeOf(await agent.call('request_deploy_key', { uid: game.uid })), 4031);
      await agent.close();
    }
  });

  test('are refreshed by rotation, and only for the program they were issued to', async () => {
    const first = await connectProgram(server, session.cookie);
    const second = await refresh(server, first.client, first.refresh_token);
    assert.equal(second.status, 200);
    assert.notEqual(second.body.refresh_token, first.refresh_token);
    assert.equal((await pingMcp(server, second.body.access_token)).status, 200);
    const third = await refresh(server, first.client, second.body.refresh_token);
    assert.equal(third.status, 200);
    const another = await registerClient(server);
    assert.equal((await refresh(server, another, third.body.refresh_token)).status, 400);
  });

  test('are revoked when their code is used again', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    const first = await exchangeCode(server, consentRequest, redirect);
    assert.equal((await pingMcp(server, first.body.access_token)).status, 200);
    const refreshed = await refresh(server, client, first.body.refresh_token);
    const again = await exchangeCode(server, consentRequest, redirect, { code_verifier: 'x'.repeat(43) });
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    for (const { body } of [first, refreshed]) {
      assert.equal((await pingMcp(server, body.access_token)).status, 401);
      assert.equal((await refresh(server, client, body.refresh_token)).status, 400);
    }
  });

  test('are revoked when one code is exchanged twice concurrently', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => exchangeCode(server, consentRequest, redirect)),
    );
    for (const { status, body } of responses) {
      assert.ok(status < 500);
      if (status === 200) assert.equal((await pingMcp(server, body.access_token)).status, 401);
    }
  });

  test('are issued for a code that was first sent in an invalid exchange', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    const { client_id, ...fields } = codeFields(consentRequest, redirect);
    assert.equal((await requestTokens(server, fields)).status, 400);
    const { status, body } = await requestTokens(server, { ...fields, client_id });
    assert.equal(status, 200);
    assert.equal((await pingMcp(server, body.access_token)).status, 200);
  });

  test('give no access to the HTTP API, and a session gives no access to MCP', async () => {
    const { access_token } = await connectProgram(server, session.cookie);
    const asAgent = await request(`${server.api}/games`, { headers: { authorization: `Bearer ${access_token}` } });
    assert.equal(asAgent.status, 401);
    const asPerson = await request(`${server.url}/mcp`, { method: 'POST', headers: session });
    assert.equal(asPerson.body.error?.code, 4011);
  });

  test('that are invented, altered or signed by others are refused', async () => {
    const { access_token } = await connectProgram(server, session.cookie);
    const [head, body, signature] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: other.owner.id })).toString('base64url');
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const tokens = [
      'x',
      `${head}.${forged}.${signature}`,
      `${unsigned}.${body}.`,
      `${head}.${body}.AAAA`,
      'a'.repeat(9000),
    ];
    for (const token of tokens) {
      const response = await pingMcp(server, token);
      assert.equal(response.status, 401, token.slice(0, 40));
      assert.match(response.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
  });

  test('of another service are refused', async () => {
    const elsewhere = await startServer();
    try {
      const account = await makeGame(elsewhere);
      const { access_token } = await connectProgram(elsewhere, (await signIn(elsewhere, account.owner)).cookie);
      assert.equal((await pingMcp(server, access_token)).status, 401);
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('disconnecting a program', () => {
  test('immediately invalidates access and refresh tokens', async () => {
    const tokens = await connectProgram(server, session.cookie);
    assert.equal((await pingMcp(server, tokens.access_token)).status, 200);
    const [newest] = await connections();
    const ended = await request(`${server.api}/account/agent-connections/${newest?.connection_id}`, {
      method: 'DELETE',
      headers: { ...session, origin: server.url },
    });
    assert.equal(ended.status, 200);
    assert.equal((await pingMcp(server, tokens.access_token)).status, 401);
    assert.equal((await refresh(server, tokens.client, tokens.refresh_token)).body.error, 'invalid_grant');
  });

  test('happens when the program revokes its refresh token', async () => {
    const tokens = await connectProgram(server, session.cookie);
    await fetch(`${server.url}/api/auth/oauth2/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: tokens.client.client_id,
        token: tokens.refresh_token,
        token_type_hint: 'refresh_token',
      }),
    });
    assert.equal((await pingMcp(server, tokens.access_token)).status, 401);
  });

  test('happens when the person consents to the same program again', async () => {
    const first = await connectProgram(server, session.cookie);
    await giveConsent(server, session.cookie, await requestConsent(server, first.client, session.cookie), {
      game: game.uid,
    });
    assert.equal((await pingMcp(server, first.access_token)).status, 401);
  });

  test('does not happen on sign-out', async () => {
    const visit = await signIn(server, game.owner);
    const tokens = await connectProgram(server, visit.cookie);
    await request(`${server.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { ...visit, origin: server.url, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal((await pingMcp(server, tokens.access_token)).status, 200);
    assert.equal((await refresh(server, tokens.client, tokens.refresh_token)).status, 200);
  });

  test('is available to the person only', async () => {
    await connectProgram(server, session.cookie);
    const [newest] = await connections();
    const player = await makePlayer(server);
    const { status } = await request(`${server.api}/account/agent-connections/${newest?.connection_id}`, {
      method: 'DELETE',
      headers: { ...player.headers, origin: server.url },
    });
    assert.equal(status, 404);
    assert.deepEqual(await connections(player.headers.cookie), []);
  });
});
