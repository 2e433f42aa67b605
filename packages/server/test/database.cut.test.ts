// A connection to the database that breaks while it is being opened.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { isDatabaseAway, openDatabase, row } from '../src/kernel/database/db.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';

describe('a connection to the database that is cut while it is being opened', () => {
  let database: TestDatabase;
  let proxy: Server;
  /** Cut the next connection when it has sent this; null to pass everything on. */
  let cutAt: string | null = null;
  let cuts = 0;
  before(async () => {
    database = await createTestDatabase();
    const { host, port } = new pg.Client({ connectionString: database.url });
    const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
    proxy = createServer((socket) => {
      const upstream = connect(target);
      for (const side of [socket, upstream]) side.on('error', () => undefined);
      socket.on('data', (bytes) => {
        if (cutAt !== null && bytes.includes(cutAt)) {
          [cutAt, cuts] = [null, cuts + 1];
          upstream.destroy();
          return socket.resetAndDestroy();
        }
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => socket.write(bytes));
      socket.on('close', () => upstream.destroy());
      upstream.on('close', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  after(async () => {
    proxy.close();
    await database.drop();
  });

  for (const [name, text] of Object.entries({ 'at the first message': 'user', 'with its settings': 'datestyle' })) {
    test(`${name} fails the query, which succeeds the next time, and not the process`, async () => {
      const { user, password, database: name } = new pg.Client({ connectionString: database.url });
      const { port } = proxy.address() as AddressInfo;
      const url = `postgresql://${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password ?? ''))}@127.0.0.1:${port}/${name}`;
      const opened = openDatabase(url, { connections: 1, log: createLog('fatal'), name: 'cut' });
      try {
        [cutAt, cuts] = [text, 0];
        await assert.rejects(row(opened.db, sql`select 1`), isDatabaseAway);
        assert.equal(cuts, 1);
        assert.deepEqual(await row(opened.db, sql`select 1 as one`), { one: 1 });
      } finally {
        await opened.close();
      }
    });
  }
});
