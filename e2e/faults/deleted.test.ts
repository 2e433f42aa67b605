// What a request refers to is deleted by another one while it runs: it fails with an error of the caller's, or works.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { sql } from 'kysely';
import { changed, retryConflicts, rows, type Tx, transact } from '../../packages/server/src/kernel/database/db.ts';
import { markDeleted } from '../../packages/server/src/team/game-deletion/game-deletion.sql.ts';
import { ON_CITUS } from '../../packages/server/test/setup/citus.ts';
import { isLockAwaited } from '../../packages/server/test/setup/lock-waits.ts';
import {
  type Call,
  callOf,
  inWorkingOrder,
  LAST,
  makeSamples,
  requestOf,
  type Samples,
} from '../../packages/server/test/setup/sample-calls.ts';
import { startServer, type TestServer } from '../../packages/server/test/setup/server.ts';

let server: TestServer;
before(async () => {
  const limits = ['AGENTS', 'CRASHES', 'INVITATIONS', 'PUBLIC', 'READS', 'UNCONFIRMED_MAILS', 'UPLOADS'];
  server = await startServer({
    env: {
      // The issue tracker of the samples is on this machine.
      CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1',
      ...Object.fromEntries(limits.map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0'])),
    },
  });
});
after(() => server.stop());

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The number of ids in one request. */
const MAX_IDS = 4;
/** A request that takes longer neither ends nor waits for a lock. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 10;

test('an object that is deleted during a request causes no error of the server', async (t) => {
  // On a cluster, rows cannot be put back without what they refer to.
  if (ON_CITUS) return t.skip('skipped: it needs a plain PostgreSQL');
  const samples = await makeSamples(server);
  const tables = await tablesWithIds();
  const failures: string[] = [];
  let waited = 0;
  const operations = OPERATIONS.filter(({ id, method }) => method !== 'GET' && !LAST.includes(id));
  for (const operation of inWorkingOrder(operations)) {
    // The ids differ from call to call, but not their places.
    for (let place = 0; place < MAX_IDS; place += 1) {
      const call = await callOf(samples, operation);
      const id = idsOf(operation, samples, call)[place];
      if (id === undefined) break;
      const { status, text, hasWaited } = await sendWhileDeleting(operation, samples, call, { id, tables });
      if (hasWaited) waited += 1;
      if (status >= 500) failures.push(`${operation.id} without ${id} (${place}): ${status} ${text}`);
    }
  }
  assert.deepEqual(failures, []);
  assert.ok(waited > 30, `only ${waited} requests waited for a deletion`);
});

/** The ids in the address and in the fields of the body, each once. */
function idsOf(operation: Operation, samples: Samples, call: Call): string[] {
  const { path } = requestOf(operation, samples, call);
  const { body, json } = call;
  const fields = body instanceof FormData || body instanceof URLSearchParams ? [...body.values()] : [];
  const texts = [path, JSON.stringify(json ?? null), ...fields.filter((value) => typeof value === 'string')];
  return [...new Set(texts.join(' ').match(UUID) ?? [])];
}

type Deletion = { readonly id: string; readonly tables: readonly Table[] };
type Answer = { status: number; text: string; hasWaited: boolean };

/** Sends the request before the deletion of the object is committed, and puts the object back afterwards. */
async function sendWhileDeleting(
  operation: Operation,
  samples: Samples,
  call: Call,
  { id, tables }: Deletion,
): Promise<Answer> {
  const { path, init } = requestOf(operation, samples, call);
  const { deleted, sending, hasWaited } = await inTransaction(async (tx) => {
    const deleted = await deleteObject(tx, samples, { id, tables });
    let isDone = false;
    const sending = fetch(server.api + path, init)
      .then(async (response) => ({ status: response.status, text: (await response.text()).slice(0, 200) }))
      .finally(() => {
        isDone = true;
      });
    let hasWaited = false;
    for (const end = Date.now() + PATIENCE_MS; !isDone && !hasWaited && Date.now() < end; await wait(PAUSE_MS))
      hasWaited = await isLockAwaited(server.ctx.db);
    return { deleted, sending, hasWaited };
  });
  const answer = await sending;
  await inTransaction(async (tx) => {
    await ignoreReferences(tx);
    for (const { table, columns, rows: saved } of deleted) {
      if (table === GAMES) await changed(tx, sql`delete from ${sql.table(GAMES)} where game_id = ${id}`);
      await changed(
        tx,
        sql`insert into ${sql.table(table)} (${sql.raw(columns)}) overriding system value
          select ${sql.raw(columns)} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(saved)}::jsonb)
          on conflict do nothing`,
      );
    }
  });
  return { ...answer, hasWaited };
}

/** Again after a deadlock with a job. */
function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryConflicts(() => transact(server.ctx.db, work));
}

const GAMES = 'all_games';

type Table = { table: string; columns: string; ids: string[] };

/** All tables with ids, and their columns that can be written. */
function tablesWithIds(): Promise<Table[]> {
  return rows(
    server.ctx.db,
    sql<Table>`select table_name as table,
        string_agg(quote_ident(column_name), ', ') filter (where is_generated = 'NEVER') as columns,
        coalesce(array_agg(column_name::text) filter (where data_type = 'uuid'), '{}') as ids
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and not (select relispartition from pg_class where oid = quote_ident(table_name)::regclass)
      group by table_name having count(*) filter (where data_type = 'uuid') > 0`,
  );
}

async function deleteObject(tx: Tx, { values }: Samples, { id, tables }: Deletion) {
  const isGame = id === values.uid;
  if (!isGame) await ignoreReferences(tx);
  const deleted: (Table & { rows: object[] })[] = [];
  for (const found of tables.filter(({ table }) => (table === GAMES) === isGame)) {
    const table = sql.table(found.table);
    const hasId = sql`${id}::uuid in (${sql.join(found.ids.map((name) => sql.ref(name)))})`;
    const existing = await rows(
      tx,
      sql<{ row: object }>`select to_jsonb(existing) as row from ${table} existing where ${hasId}`,
    );
    if (existing.length === 0) continue;
    deleted.push({ ...found, rows: existing.map(({ row }) => row) });
    if (isGame) await markDeleted(tx, id, new Date());
    else await changed(tx, sql`delete from ${table} where ${hasId}`);
  }
  return deleted;
}

/** In this transaction, references neither refuse nor delete anything. */
async function ignoreReferences(tx: Tx): Promise<void> {
  await rows(tx, sql`select set_config('session_replication_role', 'replica', true)`);
}
