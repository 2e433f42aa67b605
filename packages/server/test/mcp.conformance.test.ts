// The public MCP conformance suite against the real server, behind a proxy that adds the token, which the suite does
// not have.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeKey } from './setup/agents.ts';
import { makeGame, signIn, startServer, type TestServer } from './setup/server.ts';

/**
 * Scenarios that test what every server must support. The others need tools, resources and prompts with fixed names;
 * docs/mcp.md lists them.
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
  'server-sse-polling',
];

const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

describe('the conformance suite', () => {
  let server: TestServer;
  let proxy: Server;
  let folder: string;
  before(async () => {
    server = await startServer();
    const game = await makeGame(server);
    const { key } = await makeKey(server, await signIn(server, game.owner));
    proxy = await signingProxy(server.url, key);
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-conformance-'));
  });
  after(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const scenario of SCENARIOS) {
    test(`passes ${scenario}`, async () => {
      const url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
      const run = spawn(process.execPath, [PROGRAM, 'server', '--url', url, '--scenario', scenario], { cwd: folder });
      const output = Promise.all([run.stdout.toArray(), run.stderr.toArray()]);
      const [code] = await once(run, 'exit');
      assert.equal(code, 0, (await output).flat().join(''));
    });
  }
});

/** Forwards every request unchanged, with the key added. */
async function signingProxy(target: string, key: string): Promise<Server> {
  const server = createServer((request, response) => {
    const passed = httpRequest(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...request.headers, authorization: `Bearer ${key}` },
    });
    passed.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
