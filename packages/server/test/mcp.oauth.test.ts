// Connecting a program through OAuth on the real server: discovery, registration and consent.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  authorize,
  codeFields,
  connectClient,
  connectProgram,
  giveConsent,
  pingMcp,
  REDIRECT,
  registerClient,
  requestConsent,
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
      const consentRequest = await requestConsent(server, client, session.cookie);
      const redirect = await giveConsent(server, session.cookie, consentRequest);
      const basic = `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString('base64')}`;
      const { client_id, ...fields } = codeFields(consentRequest, redirect);
      const response = await fetch(announced.token_endpoint as string, {
        method: 'POST',
        headers: method === 'client_secret_basic' ? { authorization: basic } : {},
        body: new URLSearchParams({
          ...fields,
          ...(method !== 'client_secret_basic' && { client_id }),
          ...(method === 'client_secret_post' && { client_secret: secret }),
        }),
      });
      assert.equal(response.status, 200, `${method}: ${await response.clone().text()}`);
      const { access_token } = (await response.json()) as { access_token: string };
      assert.equal((await pingMcp(server, access_token)).status, 200);
    }
  });

  test('gives bearer tokens to programs that try to bind theirs to a key', async () => {
    const client = await registerClient(server, { dpop_bound_access_tokens: true });
    const consentRequest = await requestConsent(server, client, session.cookie, { dpop_jkt: 'x'.repeat(43) });
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    const response = await fetch(`${server.url}/api/auth/oauth2/token`, {
      method: 'POST',
      headers: { dpop: 'not.a.proof' },
      body: new URLSearchParams(codeFields(consentRequest, redirect)),
    });
    const tokens = (await response.json()) as { token_type: string; access_token: string };
    assert.deepEqual([response.status, tokens.token_type], [200, 'Bearer']);
    assert.equal((await pingMcp(server, tokens.access_token)).status, 200);
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

  test('stores no more than is used, of a bounded length', async () => {
    const { client_id, ...stored } = await registerClient(server, {
      client_uri: 'javascript:alert(1)',
      ...{ logo_uri: 'http://169.254.169.254/', tos_uri: 'x', policy_uri: 'x', software_id: 'x', contacts: ['x'] },
      ...{ skip_consent: true, jwks_uri: 'http://127.0.0.1:1/', application_type: 'web' },
    });
    assert.deepEqual(
      Object.keys(stored).filter((name) => /uri$|software|contacts|consent/.test(name)),
      [],
    );
    assert.ok(client_id);
    for (const more of [
      { client_name: 'N'.repeat(201) },
      { client_uri: `https://a.example/${'x'.repeat(2000)}` },
      { redirect_uris: Array.from({ length: 21 }, (_, no) => `http://localhost:${no + 1}/`) },
      { redirect_uris: [`https://a.example/${'x'.repeat(2000)}`] },
    ])
      await assert.rejects(registerClient(server, more), /400.*invalid_client_metadata/);
  });

  test('refuses redirect addresses that others could listen on', async () => {
    const uris = [
      ...['http://agents.example/back', 'javascript:alert(1)', 'data:text/html,x', 'smb://agents.example/back'],
      ...['cursor://agents/back', 'scheme.other:javascript:alert(1)', 'https://localhost/back'],
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
      const consentRequest = await requestConsent(server, client, session.cookie, { redirect_uri });
      const redirect = await giveConsent(server, session.cookie, consentRequest);
      assert.ok(redirect.href.startsWith(`${redirect_uri}?code=`), redirect.href);
    }
    const tokens = await connectClient(server, session.cookie, client, {}, editor);
    assert.equal((await pingMcp(server, tokens.access_token)).status, 200);
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
    const consentRequest = await requestConsent(server, client, '');
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    assert.equal(redirect.searchParams.get('state'), 'state-1');
    assert.ok(redirect.searchParams.get('code'));
  });

  test('can be given only in the session that started the request', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    const stranger = await makePlayer(server);
    await assert.rejects(giveConsent(server, stranger.headers.cookie, consentRequest), /other_session/);
    const again = await signIn(server, game.owner);
    await assert.rejects(giveConsent(server, again.cookie, consentRequest), /other_session/);
    const unbound = { ...consentRequest, request: consentRequest.request.replace(/&binding=.*$/, '') };
    await assert.rejects(giveConsent(server, session.cookie, unbound), /other_session/);
    const redirect = await giveConsent(server, session.cookie, consentRequest);
    assert.ok(redirect.searchParams.get('code'));
  });

  test('to a request started before sign-in can be given only in the same browser', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, '');
    const elsewhere = await requestConsent(server, client, '');
    assert.notEqual(consentRequest.cookie, '');
    await assert.rejects(giveConsent(server, session.cookie, { ...consentRequest, cookie: '' }), /other_session/);
    await assert.rejects(
      giveConsent(server, session.cookie, { ...consentRequest, cookie: elsewhere.cookie! }),
      /other_session/,
    );
    assert.ok((await giveConsent(server, session.cookie, consentRequest)).searchParams.get('code'));
  });

  test('is requested every time', async () => {
    const { client } = await connectProgram(server, session.cookie);
    const again = await requestConsent(server, client, session.cookie);
    assert.notEqual(again.request, '');
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
    const redirect = new URL(location);
    assert.deepEqual(
      [redirect.searchParams.get('error'), redirect.searchParams.get('code')],
      ['interaction_required', null],
    );
  });

  test('that is denied redirects the program back without a code', async () => {
    const client = await registerClient(server);
    const redirect = await giveConsent(server, session.cookie, await requestConsent(server, client, session.cookie), {
      accept: false,
    });
    assert.equal(redirect.searchParams.get('error'), 'access_denied');
    assert.equal(redirect.searchParams.get('code'), null);
  });

  test('to a tampered request is refused', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie, { scope: 'mcp:read' });
    const changed = {
      ...consentRequest,
      request: consentRequest.request.replace('scope=mcp%3Aread', 'scope=mcp%3Awrite'),
    };
    assert.notEqual(changed.request, consentRequest.request);
    await assert.rejects(giveConsent(server, session.cookie, changed, { scope: 'mcp:write' }), /invalid_signature/);
  });

  test('is not requested without PKCE, for another redirect address or for an unknown resource', async () => {
    const client = await registerClient(server);
    const query = { client_id: client.client_id, response_type: 'code', redirect_uri: REDIRECT, scope: 'mcp:read' };
    const bare = await authorize(server, session.cookie, query);
    assert.match(bare.location, /error=invalid_request/);
    const elsewhere = await authorize(server, session.cookie, { ...query, redirect_uri: 'https://evil.example/' });
    assert.match(elsewhere.location, /^\/consent\?request=error/);
    await assert.rejects(
      requestConsent(server, client, session.cookie, { resource: 'https://other.example/mcp' }),
      /error=invalid_target/,
    );
  });

  test('cannot be given for a game of another person', async () => {
    const client = await registerClient(server);
    const consentRequest = await requestConsent(server, client, session.cookie);
    await assert.rejects(giveConsent(server, session.cookie, consentRequest, { game: other.uid }), /4040/);
  });
});
