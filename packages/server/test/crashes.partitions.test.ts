// The partitions of crash reports on a real database: created ahead of time, concurrently, and from rows of the default
// partition.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { makePartitions } from '../src/crash/crashes/keep/retention.job.ts';
import { reportPartitionOf } from '../src/crash/crashes/report/files.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { ensurePartition } from '../src/kernel/database/partitions.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { makeSender } from './setup/crashes.ts';
import { startServer, type TestServer } from './setup/server.ts';

let now = new Date('2026-11-21T10:00:00Z');
let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now } });
});
after(() => server.stop());

async function partitions(): Promise<string[]> {
  const partitions = await rows(
    server.ctx.db,
    sql<{ name: string }>`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'crash_reports'::regclass order by relname`,
  );
  return partitions.map(({ name }) => name.replace('crash_reports_', ''));
}

test('the job creates this month and the next three, and continues later', async () => {
  await makePartitions(server.ctx);
  const first = ['2026_11', '2026_12', '2027_01', '2027_02', 'default'];
  assert.deepEqual(await partitions(), first);
  await makePartitions(server.ctx);
  assert.deepEqual(await partitions(), first);
  now = new Date('2026-12-31T23:00:00Z');
  await makePartitions(server.ctx);
  assert.deepEqual(await partitions(), [...first.slice(0, -1), '2027_03', 'default']);
});

test('concurrent calls create a partition once, and move its rows from the default partition', async () => {
  const { game, buildId } = await makeSender(server);
  const month = new Date('2030-06-15T00:00:00Z');
  const id = newId(month.getTime());
  await changed(
    server.ctx.db,
    sql`insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version, engine_version,
        os, arch, message, user_message, anonymous, metadata)
      values (${game.uid}, ${id}, ${buildId}, ${month}, 'api', 'queued', '', '', '', 'linux', 'x86_64', 'm', '', false, '{}')`,
  );
  const count = async (table: string) =>
    (await rows(server.ctx.db, sql`select from ${sql.table(table)} where report_id = ${id}`)).length;
  assert.equal(await count('crash_reports_default'), 1);
  await Promise.all(Array.from({ length: 4 }, () => ensurePartition(server.ctx.db, reportPartitionOf(month))));
  assert.equal(await count('crash_reports_2030_06'), 1);
  assert.equal(await count('crash_reports_default'), 0);
});
