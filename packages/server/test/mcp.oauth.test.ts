// Programs connected through OAuth on the real server: registration, consent, tokens bound to this resource, and disconnection.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { codeOf, connect } from './setup/agents.ts';
import {
  agree,
  askConsent,
  authorize,
  connectClient,
  connectProgram,
  REDIRECT,
  refresh,
  registerClient,
  tokenRequest,
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

/** The HTTP status of an MCP call with the token. */
function callWith(token: string): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
}

async function connections(cookie = session.cookie) {
  const { body } = await request(`${server.api}/account/agent-connections`, { headers: { cookie } });
  return body.data.connections as {
    connection_id: string;
    name: string;
    may_write: boolean;
    game: { slug: string } | null;
  }[];
}

const readJson = async (path: string) =>
  (await fetch(`${server.url}${path}`)).json() as Promise<Record<string, unknown>>;

describe('discovery', () => {
  test('leads from a refused call to the resource metadata, and from there to the authorization server', async () => {
    const refused = await request(`${server.url}/mcp`, { method: 'POST' });
    assert.equal(refused.status, 401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    assert.match(challenge, /scope="mcp:read mcp:write"/);
    assert.doesNotMatch(challenge, /error=/);
    const resource = await readJson(new URL(metadata).pathname);
    assert.equal(resource.resource, `${server.url}/mcp`);
    assert.deepEqual(resource.scopes_supported, ['mcp:read', 'mcp:write']);
    const [issuer] = resource.authorization_servers as string[];
    const metadataOfServer = await readJson(`/.well-known/oauth-authorization-server${new URL(issuer!).pathname}`);
    assert.equal(metadataOfServer.issuer, issuer);
    assert.deepEqual(metadataOfServer.code_challenge_methods_supported, ['S256']);
  });

  test('finds the authorization server where older clients look for it', async () => {
    const paths = ['', '/api/auth'].map((path) => `/.well-known/oauth-authorization-server${path}`);
    const [bare, full] = await Promise.all(paths.map(readJson));
    assert.deepEqual(bare, full);
  });

  test('announces exactly what works here', async () => {
    const announced = await readJson('/.well-known/oauth-authorization-server');
    const resource = await readJson('/.well-known/oauth-protected-resource');
    assert.doesNotMatch(
      JSON.stringify([announced, resource]),
      /dpop|backchannel|userinfo|private_key_jwt|end_session/i,
    );
    for (const [name, address] of Object.entries(announced).filter(([name]) => /_(endpoint|uri)$/.test(name))) {
      const [read, write] = await Promise.all([fetch(address as string), fetch(address as string, { method: 'POST' })]);
      assert.ok(
        [read.status, write.status].some((status) => status !== 404 && status < 500),
        name,
      );
    }
    for (const method of announced.token_endpoint_auth_methods_supported as string[]) {
      const client = await registerClient(server, { token_endpoint_auth_method: method });
      const { client_secret: secret = '' } = client as { client_secret?: string };
      const asking = await askConsent(server, client, session.cookie);
      const back = await agree(server, session.cookie, asking);
      const basic = `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString('base64')}`;
      const answer = await fetch(announced.token_endpoint as string, {
        method: 'POST',
        headers: method === 'client_secret_basic' ? { authorization: basic } : {},
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: back.searchParams.get('code') ?? '',
          code_verifier: asking.verifier,
          redirect_uri: REDIRECT,
          ...(method !== 'client_secret_basic' && { client_id: client.client_id }),
          ...(method === 'client_secret_post' && { client_secret: secret }),
        }),
      });
      assert.equal(answer.status, 200, `${method}: ${await answer.clone().text()}`);
      const { access_token } = (await answer.json()) as { access_token: string };
      assert.equal((await callWith(access_token)).status, 200);
    }
  });

  test('gives bearer tokens to programs that try to bind theirs to a key', async () => {
    const client = await registerClient(server, { dpop_bound_access_tokens: true });
    const asking = await askConsent(server, client, session.cookie, { dpop_jkt: 'x'.repeat(43) });
    const back = await agree(server, session.cookie, asking);
    const answer = await fetch(`${server.url}/api/auth/oauth2/token`, {
      method: 'POST',
      headers: { dpop: 'not.a.proof' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.client_id,
        code: back.searchParams.get('code') ?? '',
        code_verifier: asking.verifier,
        redirect_uri: REDIRECT,
      }),
    });
    const tokens = (await answer.json()) as { token_type: string; access_token: string };
    assert.deepEqual([answer.status, tokens.token_type], [200, 'Bearer']);
    assert.equal((await callWith(tokens.access_token)).status, 200);
  });

  test('offers no OAuth at an address that browsers do not treat as secure', async () => {
    const plain = await startServer({ env: { CHAUFFEUR_PUBLIC_URL: 'http://games.example' } });
    try {
      const refused = await request(`${plain.url}/mcp`, { method: 'POST' });
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="personal key"');
      assert.equal((await fetch(`${plain.url}/.well-known/oauth-protected-resource`)).status, 404);
    } finally {
      await plain.stop();
    }
  });
});

describe('registration', () => {
  test('treats a program that does not say what it is as a native app', async () => {
    const client = await registerClient(server);
    assert.deepEqual(client.redirect_uris, [REDIRECT]);
    assert.deepEqual(client.grant_types, ['authorization_code', 'refresh_token']);
  });

  test('refuses redirect addresses that others could listen on', async () => {
    const uris = [
      ...['http://agents.example/back', 'javascript:alert(1)', 'data:text/html,x', 'smb://agents.example/back'],
      ...['cursor://agents/back', 'stands-in.for:javascript:alert(1)', 'https://localhost/back'],
    ];
    for (const uri of uris) await assert.rejects(registerClient(server, { redirect_uris: [uri] }), /40\d/);
  });

  test('accepts redirect schemes of editors and redirects to them', async () => {
    const editor = 'cursor://anysphere.cursor-mcp/oauth/callback';
    const redirect_uris = [
      editor,
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ];
    const client = await registerClient(server, { redirect_uris, application_type: 'web' });
    assert.deepEqual(client.redirect_uris, redirect_uris);
    for (const redirect_uri of redirect_uris) {
      const asking = await askConsent(server, client, session.cookie, { redirect_uri });
      const back = await agree(server, session.cookie, asking);
      assert.ok(back.href.startsWith(`${redirect_uri}?code=`), back.href);
    }
    const tokens = await connectClient(server, session.cookie, client, {}, editor);
    assert.equal((await callWith(tokens.access_token)).status, 200);
  });

  test('is the only way to change clients', async () => {
    for (const path of [
      'oauth2/create-client',
      'oauth2/delete-client',
      'admin/oauth2/create-client',
      'admin/oauth2/resources',
    ]) {
      const { status } = await request(`${server.url}/api/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...session },
        body: '{}',
      });
      assert.equal(status, 404, path);
    }
  });
});

describe('consent', () => {
  test('is also requested after sign-in, with the request preserved', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, '');
    const back = await agree(server, session.cookie, asking);
    assert.equal(back.searchParams.get('state'), 'state-1');
    assert.ok(back.searchParams.get('code'));
  });

  test('can be given only in the session that started the request', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie);
    const stranger = await makePlayer(server);
    await assert.rejects(agree(server, stranger.headers.cookie, asking), /other_session/);
    const again = await signIn(server, game.owner);
    await assert.rejects(agree(server, again.cookie, asking), /other_session/);
    const unbound = { ...asking, request: asking.request.replace(/&binding=.*$/, '') };
    await assert.rejects(agree(server, session.cookie, unbound), /other_session/);
    const back = await agree(server, session.cookie, asking);
    assert.ok(back.searchParams.get('code'));
  });

  test('to a request started before sign-in can be given only in the same browser', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, '');
    const elsewhere = await askConsent(server, client, '');
    assert.notEqual(asking.cookie, '');
    await assert.rejects(agree(server, session.cookie, { ...asking, cookie: '' }), /other_session/);
    await assert.rejects(agree(server, session.cookie, { ...asking, cookie: elsewhere.cookie! }), /other_session/);
    assert.ok((await agree(server, session.cookie, asking)).searchParams.get('code'));
  });

  test('is requested every time', async () => {
    const { client } = await connectProgram(server, session.cookie);
    await askConsent(server, client, session.cookie);
  });

  test('is never assumed, even if the program asks for no page to be shown', async () => {
    const { client } = await connectProgram(server, session.cookie);
    const { location } = await authorize(server, session.cookie, {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'mcp:read mcp:write',
      prompt: 'none',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const back = new URL(location);
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], ['interaction_required', null]);
  });

  test('that is denied redirects the program back without a code', async () => {
    const client = await registerClient(server);
    const back = await agree(server, session.cookie, await askConsent(server, client, session.cookie), {
      accept: false,
    });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('code'), null);
  });

  test('to a tampered request is refused', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie, { scope: 'mcp:read' });
    const changed = { ...asking, request: asking.request.replace('scope=mcp%3Aread', 'scope=mcp%3Awrite') };
    assert.notEqual(changed.request, asking.request);
    await assert.rejects(agree(server, session.cookie, changed, { scope: 'mcp:write' }), /invalid_signature/);
  });

  test('is not requested without PKCE, for another redirect address or for an unknown resource', async () => {
    const client = await registerClient(server);
    const query = { client_id: client.client_id, response_type: 'code', redirect_uri: REDIRECT, scope: 'mcp:read' };
    const bare = await authorize(server, session.cookie, query);
    assert.match(bare.location, /error=invalid_request/);
    const elsewhere = await authorize(server, session.cookie, { ...query, redirect_uri: 'https://evil.example/' });
    assert.match(elsewhere.location, /^\/consent\?request=error/);
    await assert.rejects(
      askConsent(server, client, session.cookie, { resource: 'https://other.example/mcp' }),
      /error=invalid_target/,
    );
  });

  test('cannot be given for a game of another person', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie);
    await assert.rejects(agree(server, session.cookie, asking, { game: other.uid }), /4040/);
  });
});

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
    const asking = await askConsent(server, client, session.cookie);
    const back = await agree(server, session.cookie, asking);
    const { body } = await tokenRequest(server, {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code: back.searchParams.get('code') ?? '',
      code_verifier: asking.verifier,
      redirect_uri: REDIRECT,
    });
    assert.equal((await callWith(body.access_token)).status, 200);
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
    assert.equal((await callWith(second.body.access_token)).status, 200);
    const third = await refresh(server, first.client, second.body.refresh_token);
    assert.equal(third.status, 200);
    const another = await registerClient(server);
    assert.equal((await refresh(server, another, third.body.refresh_token)).status, 400);
  });

  test('are revoked when their code is used again', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie);
    const code = (await agree(server, session.cookie, asking)).searchParams.get('code') ?? '';
    const exchange = (verifier = asking.verifier) =>
      tokenRequest(server, {
        grant_type: 'authorization_code',
        client_id: client.client_id,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT,
      });
    const first = await exchange();
    assert.equal((await callWith(first.body.access_token)).status, 200);
    const refreshed = await refresh(server, client, first.body.refresh_token);
    const again = await exchange('x'.repeat(43));
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    for (const { body } of [first, refreshed]) {
      assert.equal((await callWith(body.access_token)).status, 401);
      assert.equal((await refresh(server, client, body.refresh_token)).status, 400);
    }
  });

  test('are revoked when one code is exchanged twice concurrently', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie);
    const code = (await agree(server, session.cookie, asking)).searchParams.get('code') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        tokenRequest(server, {
          grant_type: 'authorization_code',
          client_id: client.client_id,
          code,
          code_verifier: asking.verifier,
          redirect_uri: REDIRECT,
        }),
      ),
    );
    for (const { status, body } of answers) {
      assert.ok(status < 500);
      if (status === 200) assert.equal((await callWith(body.access_token)).status, 401);
    }
  });

  test('are issued for a code that was first sent in an invalid exchange', async () => {
    const client = await registerClient(server);
    const asking = await askConsent(server, client, session.cookie);
    const code = (await agree(server, session.cookie, asking)).searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, code_verifier: asking.verifier, redirect_uri: REDIRECT };
    assert.equal((await tokenRequest(server, fields)).status, 400);
    const { status, body } = await tokenRequest(server, { ...fields, client_id: client.client_id });
    assert.equal(status, 200);
    assert.equal((await callWith(body.access_token)).status, 200);
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
      const answer = await callWith(token);
      assert.equal(answer.status, 401, token.slice(0, 40));
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
  });

  test('of another service are refused', async () => {
    const elsewhere = await startServer();
    try {
      const account = await makeGame(elsewhere);
      const { access_token } = await connectProgram(elsewhere, (await signIn(elsewhere, account.owner)).cookie);
      assert.equal((await callWith(access_token)).status, 401);
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('disconnecting a program', () => {
  test('immediately invalidates access and refresh tokens', async () => {
    const tokens = await connectProgram(server, session.cookie);
    assert.equal((await callWith(tokens.access_token)).status, 200);
    const [newest] = await connections();
    const ended = await request(`${server.api}/account/agent-connections/${newest?.connection_id}`, {
      method: 'DELETE',
      headers: { ...session, origin: server.url },
    });
    assert.equal(ended.status, 200);
    assert.equal((await callWith(tokens.access_token)).status, 401);
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
    assert.equal((await callWith(tokens.access_token)).status, 401);
  });

  test('happens when the person consents to the same program again', async () => {
    const first = await connectProgram(server, session.cookie);
    await agree(server, session.cookie, await askConsent(server, first.client, session.cookie), { game: game.uid });
    assert.equal((await callWith(first.access_token)).status, 401);
  });

  test('does not happen on sign-out', async () => {
    const visit = await signIn(server, game.owner);
    const tokens = await connectProgram(server, visit.cookie);
    await request(`${server.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { ...visit, origin: server.url, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal((await callWith(tokens.access_token)).status, 200);
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
