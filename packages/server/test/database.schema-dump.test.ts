import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dumpSchema } from '../../../scripts/generate/schema.ts';
import { type Database, openDatabase } from '../src/kernel/database/db.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { ON_CITUS } from './setup/citus.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';

const open: { database: Database; of: TestDatabase }[] = [];

async function openTestDatabase({ empty = false } = {}): Promise<Database> {
  const of = await createTestDatabase({ empty });
  const database = openDatabase(of.url, { connections: 2, log: createLog('silent'), name: 'test' });
  open.push({ database, of });
  return database;
}

/** Objects of every kind, in the variants that the queries distinguish. */
const SAMPLE = `
  create type mood as enum ('calm', 'tired of ''quotes''');
  create sequence numbers as integer cycle;
  create table "odd Names" (
    id bigint generated always as identity primary key,
    "order" mood not null default 'calm',
    gone text,
    price numeric(10, 2) check (price > 0),
    twice numeric generated always as (price * 2) stored,
    unique nulls not distinct ("order", price)
  );
  alter table "odd Names" drop column gone;
  create table events (at timestamptz not null, device uuid, primary key (at, device)) partition by range (at);
  create table events_2026 partition of events for values from ('2026-01-01') to ('2027-01-01');
  create index events_by_device on events (device) where device is not null;
  create table notes (id bigint references "odd Names" on delete cascade);
  create table folders (id bigint primary key, parent_id bigint references folders);
  alter table notes add column folder_id bigint references folders on delete set null;
  create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
  create view calm as select id from "odd Names" where "order" = 'calm';
  create trigger touched before update on notes for each row execute function touch();
`;

after(async () => {
  for (const { database, of } of open) {
    await database.close();
    await of.drop();
  }
});

async function rebuild(dump: string): Promise<string> {
  const copy = await openTestDatabase({ empty: true });
  await copy.pool.query(dump);
  return dumpSchema(copy.pool);
}

test('a database created from the dump of a migrated database has the same dump', {
  skip: ON_CITUS && 'Citus adds its own objects',
}, async () => {
  const migrated = await openTestDatabase();
  const dump = await dumpSchema(migrated.pool);
  assert.match(dump, /^create table all_games \($/m);
  assert.equal(await rebuild(dump), dump);
});

test('every kind of object can be created again from the dump, which does not contain partitions', async () => {
  const sample = await openTestDatabase({ empty: true });
  await sample.pool.query(SAMPLE);
  const dump = await dumpSchema(sample.pool);
  assert.equal(await rebuild(dump), dump);
  for (const name of ['mood', 'numbers', '"odd Names"', 'events_by_device', 'touch()', 'calm', 'touched']) {
    assert.ok(dump.includes(name), `${name} is missing`);
  }
  assert.match(dump, /partition by RANGE \(at\)/);
  assert.doesNotMatch(dump, /events_2026|gone/);
});
