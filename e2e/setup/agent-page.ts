// The program of a web page that connects as an agent with the official MCP client. Bundled and served by
// agent-website.ts; `#state` shows how far it is.
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Kept = { server: string; [name: string]: unknown };

/** The page is left for the consent, so what the client remembers is kept in the browser. */
const kept: Kept = JSON.parse(sessionStorage.getItem('agent') ?? '{}');
const keep = (name: string) => (value: unknown) => {
  kept[name] = value;
  sessionStorage.setItem('agent', JSON.stringify(kept));
};
const redirectUrl = `${location.origin}/callback`;
const provider: OAuthClientProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'Web owl',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'page-state',
  clientInformation: () => kept.client as never,
  saveClientInformation: keep('client'),
  tokens: () => kept.tokens as never,
  saveTokens: keep('tokens'),
  codeVerifier: () => kept.verifier as string,
  saveCodeVerifier: keep('verifier'),
  discoveryState: () => kept.discovery as never,
  saveDiscoveryState: keep('discovery'),
  redirectToAuthorization: (url) => location.assign(url),
};

function show(text: string): void {
  document.querySelector('#state')!.textContent = text;
}

async function connect(
  options: ConstructorParameters<typeof StreamableHTTPClientTransport>[1],
  mode: 'auto' | 'legacy',
) {
  const client = new Client({ name: 'web-owl', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(kept.server), options));
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: 'list_games', arguments: {} });
  const { games } = structuredContent as { games: { slug: string }[] };
  show(`${client.getNegotiatedProtocolVersion()}: ${tools.length} tools, ${games.map(({ slug }) => slug)}`);
}

async function start(): Promise<void> {
  const parameters = new URLSearchParams(location.search);
  if (parameters.has('code')) {
    await new StreamableHTTPClientTransport(new URL(kept.server), { authProvider: provider }).finishAuth(parameters);
    return connect({ authProvider: provider }, 'auto');
  }
  keep('server')(parameters.get('server'));
  const key = parameters.get('key');
  const mode = parameters.get('mode') === 'legacy' ? 'legacy' : 'auto';
  if (key !== null) return connect({ requestInit: { headers: { authorization: `Bearer ${key}` } } }, mode);
  return connect({ authProvider: provider }, mode);
}

start().catch((error: unknown) => show(`failed: ${error}`));
