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
