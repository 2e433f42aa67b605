// Tests migrations: on a database in use, on databases of other versions, and the list of what would run.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import { startApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/kernel/database/db.ts';
import { checkMigrations, compareMigrations, migrate, readMigrations } from '../src/kernel/database/migrate.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { DISTRIBUTED_TABLES } from '../src/registry.ts';
import { createTestDatabase, TEST_POSTGRES, type TestDatabase } from './setup/database.ts';
import { urlOfDatabase } from './setup/database-url.ts';

/** It adds a column to upload_sessions. */
const ALTERING = '0028_cli_logins.sql';
/** Databases could be distributed since the migration after this one. */
const FIRST_ON_CITUS = '0046_crash_searches.sql';
const WAITS = { lockMs: 50, retryMs: 10, deadlineMs: 30_000 };
const log = createLog('silent');

describe('migrations', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  before(async () => {
    testDatabase = await createTestDatabase({ empty: true });
    database = openDatabase(testDatabase.url, { connections: 4, log, name: 'test' });
    const names = (await readMigrations()).map(({ name }) => name).filter((name) => name < ALTERING);
    await migrate(database.pool, log, { names: new Set(names) });
  });
  after(async () => {
    await database?.close();
    await testDatabase?.drop();
  });

  test('that are pending are listed with the tables that they block, and the most time that they take', async () => {
    await database.pool.query(`delete from migrations where name = '0022_crash_reports_newest_last.sql'`);
    const { applied, pending } = await checkMigrations(database.pool);
    assert.ok(applied.includes('0027_crashpad_reports.sql'));
    const [indexes, logins] = pending;
    assert.deepEqual([indexes?.name, logins?.name], ['0022_crash_reports_newest_last.sql', ALTERING]);
    assert.deepEqual(
      indexes?.locks.map(({ table, blocks }) => [table, blocks]),
      [['crash_reports', 'reads and writes']],
    );
    // Only the indexes take longer the larger the table is. Even an empty one has a page.
    assert.deepEqual([indexes?.seconds, logins?.seconds], [1, 0]);
    const locks = new Map(logins?.locks.map(({ table, blocks }) => [table, blocks]));
    assert.equal(locks.get('upload_sessions'), 'reads and writes');
    assert.equal(locks.get('users'), 'writes');
    const { sha256 } = (await readMigrations()).find(({ name }) => name === indexes?.name)!;
    await database.pool.query('insert into migrations (name, sha256) values ($1, $2)', [indexes?.name, sha256]);
  });

  test('add a constraint of a distributed table in a separate statement, which Citus asks for', async () => {
    const altered = (await readMigrations())
      .filter(({ name }) => name > FIRST_ON_CITUS)
      .flatMap(({ name, sql }) => alterationsIn(sql).map((each) => ({ ...each, name })))
      .filter(({ table }) => DISTRIBUTED_TABLES.tables.includes(table));
    assert.ok(altered.some(({ change }) => change.startsWith('add constraint')));
    const refused = altered.filter(({ change }) => change.includes('add constraint') && hasSeveral(change));
    assert.deepEqual(refused, []);
  });

  test('are not run by a command of the operator', async () => {
    const config = readConfig({ DATABASE_URL: testDatabase.url });
    await assert.rejects(startApp(config, 'admin', { log }), {
      name: 'MigrationError',
      message: new RegExp(`does not have ${ALTERING} yet`),
    });
  });

  test('give up on a table that is in use, and let others use it meanwhile', async () => {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from upload_sessions');
      await assert.rejects(migrate(database.pool, log, { waits: { ...WAITS, deadlineMs: 0 } }), {
        name: 'MigrationError',
        message: /could not lock its tables/,
      });
      const migrating = migrate(database.pool, log, { waits: WAITS });
      // It never waits longer than `lockMs`, so this doesn't wait for the transaction above.
      for (let i = 0; i < 20; i++) await database.pool.query('select from upload_sessions');
      await client.query('commit');
      assert.ok((await migrating).includes(ALTERING));
    } finally {
      client.release();
    }
  });

  test('of a newer version are accepted if this version works with them', async () => {
    const insert = (worksWith: string | null) =>
      database.pool.query(
        `insert into migrations (name, sha256, works_with) values ('9999_new.sql', '', $1)
         on conflict (name) do update set works_with = excluded.works_with`,
        [worksWith],
      );
    await insert(VERSION);
    assert.deepEqual((await compareMigrations(database.pool)).pending, []);
    assert.deepEqual(await migrate(database.pool, log), []);
    await insert('999.0.0');
    await assert.rejects(migrate(database.pool, log), {
      name: 'MigrationError',
      message: `The database has 9999_new.sql, which Chauffeur ${VERSION} does not support: start version 999.0.0 or newer.`,
    });
    await insert(null);
    await assert.rejects(compareMigrations(database.pool), { message: /start a newer version/ });
  });

  test('refuse a database with another encoding than UTF8', async () => {
    const name = 'without_utf8';
    await database.pool.query(
      `create database ${name} encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
    );
    const url = urlOfDatabase(process.env[TEST_POSTGRES] ?? '', name);
    const ascii = openDatabase(url, { connections: 1, log, name: 'test' });
    try {
      await assert.rejects(migrate(ascii.pool, log), { name: 'MigrationError', message: /SQL_ASCII.*UTF8/ });
    } finally {
      await ascii.close();
      await database.pool.query(`drop database ${name}`);
    }
  });
});

function alterationsIn(sql: string): { table: string; change: string }[] {
  const code = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ');
  return [...code.matchAll(/alter table (?:only )?(\w+) ([^;]*);/gi)].map(([, table, change]) => ({
    table: table!,
    change: change!.toLowerCase(),
  }));
}

/** Commas in parentheses separate no changes. */
function hasSeveral(change: string): boolean {
  let outside = change;
  for (let before = ''; before !== outside; ) [before, outside] = [outside, outside.replace(/\([^()]*\)/g, '')];
  return outside.includes(',');
}
