// A program on a person's machine that connects through OAuth: the official MCP client, its auth provider and a local
// redirect URL.
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
  /** Calls the service without a token. Returns the URL that the person has to open. */
  begin(): Promise<URL>;
  /** Waits until the browser is redirected to the program, then connects. */
  finish(): Promise<Client>;
  /** Returns the current tokens. */
  tokens(): SavedTokens;
  close(): Promise<void>;
};

type ProgramOptions = {
  readonly name?: string;
  /** The URL of its client ID metadata document; without one, it registers. */
  readonly document?: string;
};

export async function startProgram(
  service: string,
  { name = 'Night owl', document }: ProgramOptions = {},
): Promise<Program> {
  const callback = Promise.withResolvers<URLSearchParams>();
  const listener = await listen((query) => callback.resolve(query));
  const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const provider = {
    ...makeProvider(name, redirectUrl),
    ...(document !== undefined && { clientMetadataUrl: document }),
  };
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
      if (!(refused instanceof UnauthorizedError))
        throw new Error(`the server did not request authorization: ${refused}`);
      return provider.opened();
    },
    async finish() {
      await first.finishAuth(await callback.promise);
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

/** Stores in memory what programs store in files. */
function makeProvider(name: string, redirectUrl: string): OAuthClientProvider & { opened(): URL } {
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
    saveClientInformation: (value) => {
      information = value;
    },
    tokens: () => tokens,
    saveTokens: (value) => {
      tokens = value;
    },
    redirectToAuthorization: (url) => {
      opened = url;
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState: (value) => {
      discovery = value;
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

async function listen(onCallback: (query: URLSearchParams) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.setHeader('content-type', 'text/html').end('<title>Connected</title>You may close this page.');
    if (url.pathname === '/callback') onCallback(url.searchParams);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
