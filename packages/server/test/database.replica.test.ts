// A replica of the database that can't be used from the start: everything is read from the primary, and the log says so.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { callApi, makeOwnedGame } from './setup/api-calls.ts';
import { ON_CITUS } from './setup/citus.ts';
import { startServer } from './setup/server.ts';
import { until } from './setup/until.ts';

const REPLICAS: Readonly<Record<string, (socket: Socket) => void>> = {
  'accepts connections and is silent': () => undefined,
  'answers nonsense': (socket) => socket.on('data', () => socket.write(Buffer.alloc(65_536, 'A'))),
  'closes each connection': (socket) => socket.destroy(),
};

const skip = ON_CITUS && 'skipped: no replica of a distributed database is read';

for (const [behaviour, serve] of Object.entries(REPLICAS))
  test(`a replica that ${behaviour} is reported once, and reads come from the primary`, { skip }, async () => {
    const sockets = new Set<Socket>();
    const replica = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      serve(socket);
    });
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    const { port } = replica.address() as AddressInfo;
    let logged = '';
    const log = createLog('warn', {
      write(line) {
        logged += line;
      },
    });
    const env = { CHAUFFEUR_DATABASE_REPLICA_URL: `postgresql://reader:secret@127.0.0.1:${port}/chauffeur` };
    const server = await startServer({ role: 'api', log, env });
    try {
      const { owner, game } = await makeOwnedGame(server);
      const { status, body } = await callApi(server, owner, 'GET', `/games/${game.uid}/builds`);
      assert.deepEqual([status, body.data.builds], [200, []]);
      await until(async () => logged.includes('reads use the primary') && sockets.size > 1);
      assert.equal(logged.split('reads use the primary').length - 1, 1);
      assert.equal(logged.includes('secret'), false);
    } finally {
      await server.stop();
      for (const socket of sockets) socket.destroy();
      replica.close();
    }
  });
