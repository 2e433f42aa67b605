// Tests what is said about connections that fail.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { explainFailure } from './connection-failure.ts';

test('a server that closes the connection is named, with what to do', async (t) => {
  const server = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error: unknown = await fetch(`http://${host}/`).catch((failure: unknown) => failure);
  const explanation = explainFailure(error, host);
  assert.equal(explanation?.message, `${host} closed the connection.`);
  assert.match(explanation.remedy, /check the proxies/);
});

test('a remedy names what the user has entered', () => {
  const refused = Object.assign(new Error('fetch failed'), { code: 'ECONNREFUSED' });
  assert.match(explainFailure(refused, 'games.example.com')?.remedy ?? '', /SERVICE_API_URL or --url/);
  const forPlayers = explainFailure(refused, 'games.example.com', 'the address of the game')?.remedy ?? '';
  assert.equal(forPlayers, 'Check the port in the address of the game, and that the server is running.');
});
