// Presence of processes on a real database: which are alive, which are dead, and a database that becomes unavailable.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ApiError } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import { type Database, onlyRow, openDatabase } from '../src/kernel/database/db.ts';
import {
  isAlive,
  joinPresence,
  type Presence,
  type ProcessMembership,
  removeDead,
} from '../src/kernel/processes/presence.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { type Outage, outageOf } from './setup/outage.ts';
import { until } from './setup/until.ts';

const log = createLog('silent');

describe('the presence of a process', () => {
  let own: TestDatabase;
  let database: Database;
  let outage: Outage;
  let presence: Presence;
  beforeEach(async () => {
    own = await createTestDatabase();
    database = openDatabase(own.url, { connections: 2, log, name: 'onlooker' });
    outage = outageOf(own);
    presence = await joinPresence(own.url, 'test', log);
  });
  afterEach(async () => {
    await outage.end();
    await presence.leave();
    await database.close();
    await own.drop();
  });

  async function current(): Promise<ProcessMembership | undefined> {
    await setImmediate();
    try {
      return presence.current();
    } catch (error) {
      assert.equal((error as ApiError).code, 5030);
      return undefined;
    }
  }

  async function sessions(): Promise<number> {
    const { count } = await onlyRow(
      database.db,
      sql<{ count: number }>`select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'chauffeur-presence'`,
    );
    return count;
  }

  test('lasts until it leaves; afterwards it is cleaned up with its workers', async () => {
    const { processNo } = presence.current();
    await presence.addWorker('first');
    await presence.addWorker('second');
    assert.ok(await isAlive(database.db, processNo));
    assert.deepEqual(await removeDead(database.db), []);
    await presence.leave();
    await until(async () => !(await isAlive(database.db, processNo)));
    assert.deepEqual(await removeDead(database.db), [{ process_no: processNo, worker_ids: ['first', 'second'] }]);
    assert.deepEqual(await removeDead(database.db), []);
  });

  test('is restored under another number, with its workers, after the connection breaks', async () => {
    await presence.addWorker('worker');
    const before = presence.current();
    const lost = once(before.lost, 'abort');
    await outage.begin();
    await lost;
    assert.equal(await current(), undefined);
    await outage.end();
    const after = await until(current);
    assert.notEqual(after.processNo, before.processNo);
    assert.ok(!(await isAlive(database.db, before.processNo)));
    assert.ok(await isAlive(database.db, after.processNo));
    const worker_ids = ['worker'];
    assert.deepEqual(await removeDead(database.db), [{ process_no: before.processNo, worker_ids }]);
    await presence.leave();
    await until(async () => !(await isAlive(database.db, after.processNo)));
    assert.deepEqual(await removeDead(database.db), [{ process_no: after.processNo, worker_ids }]);
  });

  test('logs the first failure of an outage with its stack, and how many there were at its end', async () => {
    const lines: { msg: string; level: string; count?: number; err?: object }[] = [];
    const recorded = createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
    const other = await joinPresence(own.url, 'test', recorded);
    try {
      const lost = once(other.current().lost, 'abort');
      await outage.begin();
      await lost;
      await until(async () => lines.some(({ count = 0 }) => count >= 3));
      await outage.end();
      const last = await until(async () => lines.find(({ msg }) => msg === 'marked this process as alive again'));
      assert.ok((last.count ?? 0) >= 3);
      assert.equal(lines.filter(({ err }) => err !== undefined).length, 1);
      assert.deepEqual([...new Set(lines.slice(1, -1).map(({ level }) => level))], ['debug']);
    } finally {
      await outage.end();
      await other.leave();
    }
  });

  test('can end while the database is unavailable', async () => {
    await outage.begin();
    await assert.doesNotReject(presence.leave());
  });

  test('leaves no connection behind when it ends during a reconnect', async () => {
    const lost = once(presence.current().lost, 'abort');
    await outage.begin();
    await outage.end();
    await lost;
    await presence.leave();
    await until(async () => (await sessions()) === 0);
    assert.equal(await current(), undefined);
  });
});
