// Calls a tool of the MCP server with a personal key.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Service } from './processes.ts';

/** Returns the structured content of the tool's result. Throws if the tool fails. */
export async function callTool<T>(
  { url }: Service,
  key: string,
  name: string,
  input: Record<string, unknown>,
): Promise<T> {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  try {
    const result = await client.callTool({ name, arguments: input });
    if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
    return result.structuredContent as T;
  } finally {
    await client.close();
  }
}
