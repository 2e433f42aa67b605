// A program on a person's machine that connects by OAuth: the official MCP client with its auth provider, and a place for the answer.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

type Saved = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
type Discovery = Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
type SavedTokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

export type Program = {
  /** Asks the service; answers the address that a person has to open, as it has no token yet. */
  begin(): Promise<URL>;
  /** Waits until the browser has brought the answer, and connects with it. */
  finish(): Promise<Client>;
  /** Gets a new access token by the refresh token. */
  tokens(): SavedTokens;
  close(): Promise<void>;
};

type ProgramOptions = {
  readonly name?: string;
  /** Where its client ID metadata document lies; without one, it registers. */
  readonly document?: string;
};

export async function startProgram(
  service: string,
  { name = 'Night owl', document }: ProgramOptions = {},
): Promise<Program> {
  const answer = Promise.withResolvers<URLSearchParams>();
  const listener = await listen((query) => answer.resolve(query));
  const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const provider = { ...keep(name, redirectUrl), ...(document !== undefined && { clientMetadataUrl: document }) };
  const transportOf = () => new StreamableHTTPClientTransport(new URL(`${service}/mcp`), { authProvider: provider });
  const newClient = () => new Client({ name: 'night-owl', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const first = transportOf();
  const clients: Client[] = [];
  return {
    async begin() {
      const refused = await newClient()
        .connect(first)
        .then(
          () => null,
          (error: unknown) => error,
        );
      if (!(refused instanceof UnauthorizedError)) throw new Error(`not asked to authorize: ${refused}`);
      return provider.opened();
    },
    async finish() {
      await first.finishAuth(await answer.promise);
      const client = newClient();
      clients.push(client);
      await client.connect(transportOf());
      return client;
    },
    tokens: () => provider.tokens() as SavedTokens,
    async close() {
      for (const client of clients) await client.close();
      listener.close();
      listener.closeAllConnections();
    },
  };
}

/** Keeps in memory what programs keep in files. */
function keep(name: string, redirectUrl: string): OAuthClientProvider & { opened(): URL } {
  let information: Saved;
  let tokens: SavedTokens;
  let verifier = '';
  let discovery: Discovery;
  let opened: URL | undefined;
  return {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'owl-state',
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: (url) => {
      opened = url;
    },
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState: (given) => {
      discovery = given;
    },
    invalidateCredentials: () => {
      tokens = undefined;
    },
    opened() {
      if (opened === undefined) throw new Error('the client opened no page');
      return opened;
    },
  };
}

async function listen(onAnswer: (query: URLSearchParams) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.setHeader('content-type', 'text/html').end('<title>Connected</title>You may close this page.');
    if (url.pathname === '/callback') onAnswer(url.searchParams);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
