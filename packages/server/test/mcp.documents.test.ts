// OAuth clients identified by published documents: fetched over HTTPS, connected by the official client, and hostile
// ones.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import type { Internet } from '../src/kernel/network/public-request.ts';
import type { ClientDocumentError } from '../src/people/accounts/client-document-rules.ts';
import { fetchClientDocument } from '../src/people/accounts/client-documents.ts';
import { type DocumentSite, documentOf, HOST, openDocumentSite, PUBLIC_ADDRESS } from './setup/document-site.ts';
import {
  authorize,
  connectClient,
  giveConsent,
  REDIRECT,
  refresh,
  registerClient,
  requestConsent,
} from './setup/oauth.ts';
import { startProgram } from './setup/program.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';

let site: DocumentSite;
let server: TestServer;
let game: TestGame;
let session: { cookie: string };
let now = Date.now();
let addressCount = 0;

before(async () => {
  site = await openDocumentSite();
  server = await startServer({ fetchDocument: site.fetchDocument, clock: { now: () => new Date(now) } });
  game = await makeGame(server);
  session = await signIn(server, game.owner);
});
after(async () => {
  await site.close();
  await server.stop();
});
beforeEach(() => {
  site.publish();
  // Gives each test the full number of fetches per minute.
  now += MINUTE;
});

/** The address of a client that has not been requested yet. */
const newAddress = () => {
  addressCount += 1;
  return `https://${HOST}/programs/${addressCount}`;
};
const client = (client_id: string) => ({ client_id, redirect_uris: [], grant_types: [] });
const ask = (address: string, query: Record<string, string> = {}) =>
  requestConsent(server, client(address), session.cookie, query);
const timesRead = (address: string) => site.requests.filter((path) => path === new URL(address).pathname).length;

/** The reason shown to a person who is redirected to an error instead of the consent page. */
async function refusalOf(address: string): Promise<string> {
  const consentRequest = await ask(address);
  const query = new URLSearchParams(consentRequest.request);
  assert.equal(query.get('client_id'), null, 'the consent page was opened');
  return `${query.get('error')}: ${query.get('error_description')}`;
}

async function describeClient(address: string) {
  const query = new URLSearchParams({ client_id: address });
  const { status, body } = await request(`${server.api}/account/agent-client?${query}`, { headers: session });
  return { status, data: body.data };
}

describe('fetching a document', () => {
  const read = (more: Partial<Internet> = {}, { host = HOST, milliseconds = 1000 } = {}) =>
    fetchClientDocument(new URL(`https://${host}/client.json`), {
      internet: { ...site.internet, ...more },
      milliseconds,
    });
  const isError = (pattern: RegExp, passing: boolean) => (error: ClientDocumentError) => {
    assert.equal(error.name, 'ClientDocumentError');
    assert.match(error.message, pattern);
    assert.equal(error.passing, passing);
    return true;
  };

  test('returns its text over a connection to the resolved address', async () => {
    site.publish({}, { 'cache-control': 'max-age=600' });
    const { text, cacheControl } = await read();
    assert.deepEqual(JSON.parse(text), documentOf(`https://${HOST}/client.json`));
    assert.equal(cacheControl, 'max-age=600');
    assert.equal(site.connectedTo.at(-1), PUBLIC_ADDRESS.address);
  });

  test('resolves a name once: a changed DNS response a moment later has no effect', async () => {
    const answers = [[PUBLIC_ADDRESS], [{ address: '127.0.0.1', family: 4 }]];
    await read({ resolve: async () => answers.shift() ?? [] });
    assert.equal(answers.length, 1);
    assert.equal(site.connectedTo.at(-1), PUBLIC_ADDRESS.address);
  });

  test('refuses hosts with a private address, even alongside public ones', async () => {
    const before = site.connectedTo.length;
    for (const address of ['127.0.0.1', '10.0.0.8', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.8']) {
      const family = address.includes(':') ? 6 : 4;
      const resolve = async () => [PUBLIC_ADDRESS, { address, family }];
      await assert.rejects(read({ resolve }), isError(/not on the public internet/, false), address);
    }
    assert.equal(site.connectedTo.length, before);
  });

  test('with the real resolver does not reach this machine under any name', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433'])
      await assert.rejects(
        fetchClientDocument(new URL(`https://${host}/client.json`)),
        { name: 'ClientDocumentError' },
        host,
      );
  });

  test('follows no redirect', async () => {
    const before = site.requests.length;
    site.serve((_request, response) => response.writeHead(302, { location: 'https://127.0.0.1/secret' }).end());
    await assert.rejects(read(), isError(/responded with status 302/, false));
    assert.equal(site.requests.length, before + 1);
  });

  test('stops at the size limit, whatever length was announced', async () => {
    let sent = 0;
    site.serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        sent += 1;
        if (!response.destroyed) response.write(' '.repeat(4096), more);
      };
      more();
    });
    await assert.rejects(read(), isError(/longer than 5 KiB/, false));
    assert.ok(sent < 2000, `${sent} parts were sent`);
  });

  test('times out on a host that is slow to resolve, to respond or to send its body', async () => {
    const slow = (more: Partial<Internet> = {}) => read(more, { milliseconds: 100 });
    await assert.rejects(slow({ resolve: () => new Promise(() => undefined) }), isError(/timed out/, true));
    site.serve(() => undefined);
    await assert.rejects(slow(), isError(/timed out/, true));
    site.serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    await assert.rejects(slow(), isError(/timed out/, true));
  });

  test('accepts no HTML page as a document and no wrong host', async () => {
    site.publish({}, { 'content-type': 'text/html' });
    await assert.rejects(read(), isError(/application\/json/, false));
    // Its certificate is for another name.
    await assert.rejects(read({}, { host: 'other.example' }), isError(/cannot be reached/, true));
    site.serve((_request, response) => response.writeHead(503).end());
    await assert.rejects(read(), isError(/responded with status 503/, true));
    await assert.rejects(read({ resolve: async () => [] }), isError(/cannot be reached/, true));
  });
});

describe('a client with a document', () => {
  test('is supported according to the metadata, and connects with the official client without registering', async (t) => {
    const metadata = await fetch(`${server.url}/.well-known/oauth-authorization-server/api/auth`);
    assert.equal((await metadata.json()).client_id_metadata_document_supported, true);
    const address = newAddress();
    const program = await startProgram(server.url, { name: 'Ignored', document: address });
    t.after(() => program.close());
    const opened = await program.begin();
    assert.equal(opened.searchParams.get('client_id'), address);
    const { location } = await authorize(server, session.cookie, Object.fromEntries(opened.searchParams));
    const consentRequest = new URL(location, server.url).searchParams.get('request') ?? '';
    const redirect = await giveConsent(server, session.cookie, {
      client: client(address),
      verifier: '',
      request: consentRequest,
    });
    await fetch(redirect);
    const agent = await program.finish();
    const result = await agent.callTool({ name: 'list_channels', arguments: { uid: game.slug } });
    assert.equal(result.isError, undefined);
    assert.equal(timesRead(address), 1);
  });

  test('is shown with the host that publishes it and the name it gives itself', async () => {
    const address = newAddress();
    await ask(address);
    assert.deepEqual((await describeClient(address)).data, {
      client_id: address,
      name: 'Night owl',
      uri: null,
      host: HOST,
    });
    const registered = await registerClient(server);
    assert.equal((await describeClient(registered.client_id)).data.host, null);
  });

  test('is fetched once for many concurrent requests', async () => {
    const address = newAddress();
    await Promise.all(Array.from({ length: 8 }, () => ask(address)));
    assert.equal(timesRead(address), 1);
  });

  test('is fetched again when its cache headers say so, and not before', async () => {
    const address = newAddress();
    site.publish({}, { 'cache-control': 'max-age=7200' });
    await ask(address);
    site.publish({ client_name: 'Day owl' });
    now += HOUR;
    await ask(address);
    assert.equal((await describeClient(address)).data.name, 'Night owl');
    now += 2 * HOUR;
    await ask(address);
    assert.deepEqual([(await describeClient(address)).data.name, timesRead(address)], ['Day owl', 2]);
  });

  test('redirects to the URI in the current document, after a new consent', async () => {
    const address = newAddress();
    await connectClient(server, session.cookie, client(address));
    site.publish({ redirect_uris: ['https://agents.example/back'] });
    now += 2 * HOUR;
    const old = await authorize(server, session.cookie, {
      client_id: address,
      response_type: 'code',
      redirect_uri: REDIRECT,
    });
    assert.match(old.location, /^\/consent\?request=error%3Dinvalid_redirect/);
    const consentRequest = await ask(address, { redirect_uri: 'https://agents.example/back' });
    assert.equal(new URLSearchParams(consentRequest.request).get('redirect_uri'), 'https://agents.example/back');
  });

  test('stays connected during a short outage of its website, but not during a long one or after its removal', async () => {
    const address = newAddress();
    const tokens = await connectClient(server, session.cookie, client(address));
    site.serve((_request, response) => response.writeHead(503).end());
    now += 2 * HOUR;
    // The provider stores the fetch time by the real clock; the tests above advance the clock by less than a day.
    const during = await refresh(server, client(address), tokens.refresh_token);
    assert.equal(during.status, 200);
    now += DAY;
    const long = await refresh(server, client(address), during.body.refresh_token);
    assert.deepEqual([long.status, long.body.error], [503, 'temporarily_unavailable']);
    site.serve((_request, response) => response.writeHead(404).end());
    now += 2 * MINUTE;
    const removed = await refresh(server, client(address), during.body.refresh_token);
    assert.deepEqual([removed.status, removed.body.error], [400, 'invalid_client']);
    site.publish();
    now += 2 * MINUTE;
    assert.equal((await refresh(server, client(address), during.body.refresh_token)).status, 200);
  });

  test('is fetched only for authorization and tokens', async () => {
    const address = newAddress();
    const body = new URLSearchParams({ client_id: address, token: 'x' });
    const { status } = await fetch(`${server.url}/api/auth/oauth2/revoke`, { method: 'POST', body });
    assert.ok(status >= 400);
    assert.equal((await describeClient(address)).status, 404);
    assert.equal(timesRead(address), 0);
  });
});

describe('a hostile document', () => {
  test('creates no client, and the person sees the reason', async () => {
    const cases: [object, RegExp][] = [
      [{ client_id: `https://${HOST}/other` }, /^invalid_client: .*not the address/],
      [{ client_secret: 'x' }, /client_secret/],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, /token_endpoint_auth_method/],
      [{ redirect_uris: ['http://agents.example/back'] }, /loopback/],
      [{ redirect_uris: ['javascript:alert(1)'] }, /scheme/],
      [{ redirect_uris: ['https://localhost/back'] }, /loopback/],
      [{ redirect_uris: ['x'] }, /absolute/],
      [{ filler: 'x'.repeat(6000) }, /5 KiB/],
    ];
    for (const [more, pattern] of cases) {
      const address = newAddress();
      site.publish(more);
      assert.match(await refusalOf(address), pattern);
      assert.equal((await describeClient(address)).status, 404);
    }
  });

  test('is not fetched again for a minute', async () => {
    const address = newAddress();
    site.serve((_request, response) => response.writeHead(302, { location: '/' }).end());
    await refusalOf(address);
    site.publish();
    assert.match(await refusalOf(address), /responded with status 302/);
    assert.equal(timesRead(address), 1);
    now += 2 * MINUTE;
    await ask(address);
    assert.equal((await describeClient(address)).status, 200);
  });

  test('that replaces a valid one stops working, even for connected people', async () => {
    const address = newAddress();
    const tokens = await connectClient(server, session.cookie, client(address));
    site.publish({ client_id: 'https://other.example/x' });
    now += 2 * HOUR;
    assert.equal((await refresh(server, client(address), tokens.refresh_token)).body.error, 'invalid_client');
    assert.match(await refusalOf(address), /not the address/);
  });

  test('cannot make this service fetch without limit', async () => {
    for (let no = 0; no < 10; no += 1) await ask(newAddress());
    assert.match(await refusalOf(newAddress()), /^temporarily_unavailable: .*too many/);
    now += MINUTE;
    const address = newAddress();
    await ask(address);
    assert.equal((await describeClient(address)).status, 200);
  });

  test('is not fetched from an invalid address', async () => {
    const before = site.requests.length;
    for (const address of [
      `http://${HOST}/x`,
      `https://${HOST}/`,
      `https://${HOST}/x#y`,
      'https://127.0.0.1/x',
      `https://${HOST}/${'x'.repeat(2000)}`,
    ])
      assert.match(await refusalOf(address), /^invalid_client: .*client_id/, address);
    assert.equal(site.requests.length, before);
  });
});
