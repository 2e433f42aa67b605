// A database on a Citus cluster: distributed while games send events and crash reports, by a command that can be killed
// and repeated, and with shards that move to another server. Most of it needs CHAUFFEUR_TEST_CITUS_URL.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { eventPartitionOf } from '../src/analytics/events/keep/event-partitions.job.ts';
import { DAY } from '../src/kernel/clock.ts';
import { openDatabase, rows } from '../src/kernel/database/db.ts';
import { migrate, readMigrations } from '../src/kernel/database/migrate.ts';
import { ensurePartition } from '../src/kernel/database/partitions.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { DISTRIBUTED_TABLES } from '../src/registry.ts';
import { CITUS_URL, createMigratedDatabase, distributeDatabase, ON_CITUS } from './setup/citus.ts';
import { makeSender, report, reportsOf } from './setup/crashes.ts';
import { createTestDatabase } from './setup/database.ts';
import { eventsOf, findMiscounts, type Sender, send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand, startServerCommand } from './setup/server-command.ts';

const skip = !ON_CITUS && `skipped: ${CITUS_URL} is not set`;
const GAMES = 4;
const YESTERDAY = eventPartitionOf(new Date(Date.now() - DAY));

/** A server on a migrated database of the cluster that is not distributed yet, with games and an event of yesterday. */
async function startUndistributed(): Promise<{ server: TestServer; senders: Sender[] }> {
  const server = await startServer({
    role: 'api',
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0' },
    database: await createMigratedDatabase(),
  });
  const senders: Sender[] = [];
  while (senders.length < GAMES) senders.push(await makeSender(server));
  await ensurePartition(server.ctx.db, YESTERDAY);
  const { game, buildId } = senders[0]!;
  await rows(
    server.ctx.db,
    sql`insert into events (game_id, build_id, received_at, name, anonymous) values (${game.uid}, ${buildId}, ${YESTERDAY.from}, 'old', true)`,
  );
  return { server, senders };
}

const distribute = (server: TestServer, ...options: string[]) =>
  runServerCommand(environmentOf(server), ['distribute', '--shards', '4', ...options]);

/** The tables of the plan that Citus has distributed, without partitions. */
async function listDistributed(server: TestServer): Promise<string[]> {
  const tables = await rows(
    server.ctx.db,
    sql<{
      name: string;
    }>`select logicalrelid::text as name from pg_dist_partition order by logicalrelid::text collate "C"`,
  );
  return tables.map(({ name }) => name).filter((name) => DISTRIBUTED_TABLES.tables.includes(name));
}

const ALL_TABLES = [...DISTRIBUTED_TABLES.tables].sort();

/** What each game has received, by the names of its events and the messages of its reports. */
type Accepted = Map<Sender, { events: string[]; reports: string[] }>;

const MIN_REQUESTS = 5;
let rounds = 0;

/**
 * Sends events and crash reports of all games until `work` ends. Each request must be accepted. Afterwards everything
 * that was accepted must be stored, once, and counted correctly.
 */
async function whileSending(senders: readonly Sender[], work: () => Promise<unknown>): Promise<void> {
  let hasEnded = false;
  rounds += 1;
  const round = rounds;
  const accepted: Accepted = new Map(senders.map((sender) => [sender, { events: [], reports: [] }]));
  const loop = async (sender: Sender, writer: number) => {
    for (let no = 0; no < MIN_REQUESTS || !hasEnded; no += 1) {
      const id = `${round}-${writer}-${no}`;
      const events = ['boot_ok', 'level'].map((event) => ({
        event,
        device_uid: `d${no % 50}`,
        event_id: `${id}-${event}`,
      }));
      const { status, body } = await send(sender, { events });
      assert.equal(status, 202, JSON.stringify(body));
      accepted.get(sender)!.events.push(...events.map(({ event_id }) => event_id));
      if (no % 3 > 0) continue;
      assert.equal((await report(sender, { message: id })).status, 201);
      accepted.get(sender)!.reports.push(id);
    }
  };
  const loops = senders.flatMap((sender) => [loop(sender, 1), loop(sender, 2)]);
  try {
    await work();
  } finally {
    hasEnded = true;
    await Promise.all(loops);
  }
  for (const [sender, { events, reports }] of accepted) {
    assert.ok(events.length > 0);
    const stored = new Set((await eventsOf(sender)).map(({ event_id }) => event_id));
    assert.deepEqual(
      events.filter((id) => !stored.has(id)),
      [],
    );
    const messages = (await reportsOf(sender)).map(({ message }) => message);
    assert.deepEqual(
      reports.filter((id) => messages.filter((message) => message === id).length !== 1),
      [],
    );
  }
}

async function assertCounts(senders: readonly Sender[]): Promise<void> {
  for (const sender of senders) {
    const ids = (await eventsOf(sender)).flatMap(({ event_id }) => event_id ?? []);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(await findMiscounts(sender), []);
  }
}

test('a database without Citus is refused', { skip: ON_CITUS && 'all databases have Citus' }, async () => {
  const database = await createTestDatabase();
  const { code, stderr } = await runServerCommand({ DATABASE_URL: database.url }, ['distribute', '--dry-run']);
  assert.equal(code, 1);
  assert.match(stderr, /This database has no Citus\. Install it on every server, then run: create extension citus;$/m);
  await database.drop();
});

test('invalid options and the embedded PostgreSQL are refused', async () => {
  for (const shards of ['0', '1025', '1.5', 'many', ''])
    assert.match(
      (await runServerCommand({ DATABASE_URL: '' }, ['distribute', '--shards', shards])).stderr,
      /--shards: use a whole number from 1 to 1024/,
    );
  assert.match(
    (await runServerCommand({ DATABASE_URL: '' }, ['distribute'])).stderr,
    /The embedded PostgreSQL has no Citus/,
  );
});

describe('distributing a database', { skip }, () => {
  let server: TestServer;
  let senders: Sender[];
  before(async () => {
    ({ server, senders } = await startUndistributed());
  });
  after(() => server.stop());

  test('--dry-run prints the plan and changes nothing', async () => {
    const { code, stdout } = await distribute(server, '--dry-run');
    assert.equal(code, 0);
    assert.match(stdout, /^Citus [\d.-]+, \d servers: /);
    assert.match(stdout, /^Distributed in one transaction, which blocks writes:$/m);
    assert.match(
      stdout,
      new RegExp(`^Distributed afterwards, one by one, without blocking:\\n {2}${YESTERDAY.name} `, 'm'),
    );
    assert.deepEqual(await listDistributed(server), []);
  });

  test('loses nothing while games send, and repeats nothing', async () => {
    await whileSending(senders, async () => {
      const { code, stderr, stdout } = await distribute(server);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Distributed:$/m);
    });
    assert.deepEqual(await listDistributed(server), ALL_TABLES);
    assert.ok((await eventsOf(senders[0]!)).some(({ name }) => name === 'old'));
    const { stdout } = await distribute(server, '--json');
    assert.ok(
      JSON.parse(stdout.trim().split('\n').at(-1)!).steps.every(({ action }: { action: string }) => action === 'none'),
    );
  });

  test('the server uses the shards afterwards, and counts correctly', async () => {
    await whileSending(senders, () => Promise.resolve());
    await assertCounts(senders.slice(1));
  });

  test('new partitions are distributed', async () => {
    const partition = eventPartitionOf(new Date(Date.now() + 30 * DAY));
    await ensurePartition(server.ctx.db, partition);
    const found = await rows(
      server.ctx.db,
      sql`select from pg_dist_partition where logicalrelid = ${partition.name}::regclass`,
    );
    assert.equal(found.length, 1);
  });

  test('the schema of distributed tables can be changed', async () => {
    const log = createLog('warn');
    const { pool, close } = openDatabase(server.database.url, { connections: 1, log, name: 'migrate' });
    assert.deepEqual(await migrate(pool, log), []);
    await pool.query('alter table crash_reports add column probe integer not null default 7');
    await pool.query('create index probe on crash_reports (game_id, probe)');
    const probes = await pool.query(`select distinct probe from crash_reports`);
    assert.deepEqual(probes.rows, [{ probe: 7 }]);
    await pool.query('alter table crash_reports drop column probe');
    await close();
  });

  for (const mode of ['force_logical', 'block_writes'])
    test(`shards move to another server while games send, with ${mode}`, async () => {
      await whileSending(senders, async () => {
        const places = await rows(
          server.ctx.db,
          sql<{
            shardid: number;
            nodename: string;
            nodeport: number;
          }>`select shardid, nodename, nodeport from citus_shards
            where table_name = 'event_ids'::regclass order by shardid`,
        );
        const nodes = await rows(
          server.ctx.db,
          sql<{
            nodename: string;
            nodeport: number;
          }>`select nodename, nodeport from pg_dist_node where shouldhaveshards`,
        );
        const client = new pg.Client({ connectionString: server.database.url });
        await client.connect();
        for (const { shardid, nodename, nodeport } of places) {
          const target = nodes.find((node) => node.nodeport !== nodeport)!;
          await client.query(`select citus_move_shard_placement($1, $2, $3, $4, $5, $6)`, [
            shardid,
            nodename,
            nodeport,
            target.nodename,
            target.nodeport,
            mode,
          ]);
        }
        await client.end();
      });
      await assertCounts(senders.slice(1));
    });
});

test('the command can be killed at any point, and finishes when it is repeated', { skip }, async () => {
  const { server, senders } = await startUndistributed();
  for (const lines of [1, 6, 16, 17]) {
    const { child, ended } = startServerCommand(environmentOf(server), ['distribute', '--shards', '4']);
    let left = lines;
    createInterface(child.stdout!).on('line', () => {
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    });
    await ended;
  }
  const { code, stderr } = await distribute(server);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await listDistributed(server), ALL_TABLES);
  assert.deepEqual(
    (await eventsOf(senders[0]!)).map(({ name }) => name),
    ['old'],
  );
  await whileSending(senders, () => Promise.resolve());
  await assertCounts(senders.slice(1));
  await server.stop();
});

/** Databases could not be distributed before this migration. */
const FIRST = '0046_crash_searches.sql';

test('a server migrates a distributed database of an older version, and distributes its new tables', {
  skip,
}, async () => {
  const names = (await readMigrations()).map(({ name }) => name).filter((name) => name <= FIRST);
  const database = await createMigratedDatabase(new Set(names));
  await distributeDatabase(database.url, createLog('warn'));
  const server = await startServer({ role: 'api', database });
  assert.deepEqual(await listDistributed(server), ALL_TABLES);
  const sender = await makeSender(server);
  await whileSending([sender], () => Promise.resolve());
  await assertCounts([sender]);
  await server.stop();
});

test('two runs of the command at once distribute each table once', { skip }, async () => {
  const { server, senders } = await startUndistributed();
  const runs = await Promise.all([distribute(server), distribute(server), distribute(server)]);
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  assert.deepEqual(await listDistributed(server), ALL_TABLES);
  await whileSending(senders, () => Promise.resolve());
  await assertCounts(senders.slice(1));
  await server.stop();
});
