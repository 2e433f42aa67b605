// Agents for tests: personal keys, and the official clients that call with them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { request, type TestServer } from './server.ts';

export type KeyOptions = { mayWrite?: boolean; game?: string; expiresInDays?: number; name?: string };
export type AgentKey = { key: string; key_id: string; key_ref: string };

/** Creates a personal key for the person whose session cookie is in `headers`. */
export async function makeKey(
  server: TestServer,
  headers: { cookie: string },
  { mayWrite = true, game, expiresInDays, name = 'Test agent' }: KeyOptions = {},
): Promise<AgentKey> {
  const { status, body } = await request(`${server.api}/account/agent-keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      name,
      may_write: mayWrite,
      ...(game !== undefined && { game }),
      ...(expiresInDays !== undefined && { expires_in_days: expiresInDays }),
    }),
  });
  if (status !== 201) throw new Error(`creating a key returned ${status}: ${JSON.stringify(body)}`);
  return body.data;
}

export function revokeKey(server: TestServer, headers: { cookie: string }, { key_id }: AgentKey) {
  return request(`${server.api}/account/agent-keys/${key_id}`, { method: 'DELETE', headers });
}

export type ToolResult = {
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape.
  structuredContent?: any;
  isError?: boolean;
  _meta?: { 'chauffeur/error'?: { code: number; message: string; remedy: string } };
};

export type Agent = {
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  readonly client: Client;
  close(): Promise<void>;
};

/** The current client, connected with a bearer token. `query` is that of the address. */
export async function connect(
  server: Pick<TestServer, 'url'>,
  token: string,
  mode: 'modern' | 'legacy' = 'modern',
  query = '',
): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: mode === 'modern' ? 'auto' : 'legacy' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  // The client validates results only against output schemas that it has listed.
  await client.listTools();
  return {
    client,
    call: (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<ToolResult>,
    close: () => client.close(),
  };
}

/** The client of the previous major version, connected with a bearer token. */
export async function connectOld(server: TestServer, token: string): Promise<OldClient> {
  const client = new OldClient({ name: 'test-old', version: '1' });
  const transport = new OldTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as never);
  return client;
}

/** The error code of a tool's result; 0 if it succeeded. */
export function codeOf(result: ToolResult): number {
  return result.isError === true ? (result._meta?.['chauffeur/error']?.code ?? -1) : 0;
}

/** Calls a tool with a key. Returns the structured content of the result, and throws if the tool fails. */
export async function callTool<T>(
  server: Pick<TestServer, 'url'>,
  key: string,
  name: string,
  input: Record<string, unknown>,
): Promise<T> {
  const agent = await connect(server, key);
  try {
    const result = await agent.call(name, input);
    if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  } finally {
    await agent.close();
  }
}
