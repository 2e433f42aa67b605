// Limits per minute hold for all processes together, and hold up no request.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { rows } from '../src/kernel/database/db.ts';
import { dropOldCounters } from '../src/kernel/limits/rate-limit.ts';
import { exchangeCounts } from '../src/request/share-limits.ts';
import { startServer, type TestServer } from './setup/server.ts';

const MAX = 40;
let now = Date.UTC(2026, 10, 21, 10, 0, 30);
let server: TestServer;
let other: TestServer;

before(async () => {
  const options = {
    role: 'api',
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_READS: String(MAX) },
  } as const;
  server = await startServer(options);
  other = await startServer({ ...options, shareWith: server });
});
after(async () => {
  await other?.stop();
  await server?.stop();
});

/** Reads until the limit is reached, at most `times`, and returns how many reads were allowed. */
async function read({ api }: TestServer, times: number): Promise<number> {
  for (let count = 0; count < times; count += 1) {
    const { status } = await fetch(`${api}/public/shelves/new`);
    if (status === 429) return count;
    assert.equal(status, 200);
  }
  return times;
}

async function exchange(): Promise<void> {
  for (const { ctx } of [server, other]) await exchangeCounts(ctx);
}

test('uses in one process count in the others', async () => {
  now += 60_000;
  assert.equal(await read(server, 30), 30);
  assert.equal(await read(other, 4), 4);
  await exchange();
  assert.equal(await read(other, MAX), MAX - 34);
  await exchange();
  // A process learns what the others counted when it has uses to report.
  await read(server, 1);
  await exchange();
  assert.equal(await read(server, 1), 0);
});

test('a new minute starts from 0 in all processes', async () => {
  now += 60_000;
  assert.equal(await read(server, MAX + 1), MAX);
  await exchange();
  now += 60_000;
  assert.equal(await read(server, 1), 1);
  assert.equal(await read(other, 1), 1);
});

test('addresses are not stored, and counts are deleted after their minute', async () => {
  now += 60_000;
  await read(server, MAX);
  await exchange();
  const [stored] = await rows(
    server.ctx.db,
    sql<Record<string, unknown>>`select * from minute_counts where used = ${MAX}`,
  );
  assert.deepEqual(Object.keys(stored ?? {}), ['minute', 'subject', 'used']);
  assert.match(String(stored?.subject), /^[\w-]{22}$/);
  now += 3 * 60_000;
  await dropOldCounters(server.ctx);
  assert.deepEqual(await rows(server.ctx.db, sql`select * from minute_counts`), []);
});

test('processes tell each other only about addresses that use a part of the limit', async () => {
  now += 60_000;
  const reported = async () =>
    (
      await rows(
        server.ctx.db,
        sql<{ used: number }>`select used from minute_counts where minute = ${new Date(now - (now % 60_000))}`,
      )
    ).map(({ used }) => used);
  await read(server, 1);
  await exchange();
  assert.deepEqual(await reported(), []);
  await read(server, 1);
  await exchange();
  assert.deepEqual(await reported(), [2]);
});

test('while the database is away, each process counts for itself', async () => {
  now += 60_000;
  await rows(server.ctx.db, sql`alter table minute_counts rename to minute_counts_away`);
  try {
    assert.equal(await read(server, MAX + 1), MAX);
    await assert.rejects(exchangeCounts(server.ctx), /minute_counts/);
    assert.equal(await read(other, MAX + 1), MAX);
  } finally {
    await rows(server.ctx.db, sql`alter table minute_counts_away rename to minute_counts`);
  }
});
