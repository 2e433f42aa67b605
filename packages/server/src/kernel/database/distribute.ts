// Distributes the large tables over the servers of a Citus cluster, by game, while the service runs. It can be stopped
// at any point and run again.
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { LEADING_TABLE, MAX_PARAMETERS, RUN_IN_SHARD } from './shards.ts';

/** Tables that have a game in the column `game_id`, in the order in which their references allow. */
export type DistributedTables = {
  readonly tables: readonly string[];
  /** The tables that are partitioned by day. Nothing is written to the partitions of past days. */
  readonly daily: readonly string[];
};

type Step =
  /** A table that is distributed together with the others, in one transaction, while writes to it wait. */
  | { readonly action: 'distribute'; readonly table: string; readonly rows: number; readonly bytes: number }
  /** A partition of a past day, which is distributed on its own afterwards, while nothing waits. */
  | { readonly action: 'distribute later'; readonly table: string; readonly rows: number; readonly bytes: number }
  /** Nothing is to be done. */
  | { readonly action: 'none'; readonly table: string };

export type Plan = {
  /** The version of the extension. */
  readonly citus: string;
  /** `host:port` of each server that gets shards. */
  readonly nodes: readonly string[];
  readonly steps: readonly Step[];
};

/** The database cannot be distributed. The message says what to do. */
class DistributionError extends Error {
  override readonly name = 'DistributionError';
}

/** While the transaction waits for a table, so do writes to it; it soon gives up and tries again. */
const LOCK_MS = 2_000;
const RETRY_MS = 3_000;
const MAX_TRIES = 200;

/** An arbitrary key that no other lock of ours uses: only one process at a time distributes tables. */
const LOCK = 4_011_986_002;

/** What would be done. Throws DistributionError if the database has no Citus, or no servers for the tables. */
export async function planDistribution(pool: pg.Pool, { tables, daily }: DistributedTables): Promise<Plan> {
  const { citus, nodes } = await readCluster(pool);
  const { rows } = await pool.query<TableRow>(SIZES, [tables]);
  const sizes = new Map(rows.map((row) => [row.table, row]));
  const steps = tables.flatMap((table): Step[] => {
    const size = sizes.get(table);
    // A pending migration creates it.
    if (size === undefined) return [];
    const { distributed, estimate, bytes } = size;
    return [distributed ? { action: 'none', table } : { action: 'distribute', table, rows: estimate, bytes }];
  });
  for (const table of daily) steps.push(...(await planPartitions(pool, table, sizes.get(table)?.distributed === true)));
  return { citus, nodes, steps };
}

type TableRow = { table: string; distributed: boolean; estimate: number; bytes: number };

/** Sizes of tables, with their partitions. */
const SIZES = `
  select given.name as table,
    exists (select from pg_dist_partition where logicalrelid = to_regclass(given.name)) as distributed,
    sum(greatest(0, reltuples))::bigint as estimate, sum(pg_table_size(parts.oid))::bigint as bytes
  from unnest($1::text[]) as given (name)
    join pg_class as parts on parts.oid = to_regclass(given.name)
      or parts.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(given.name))
  group by given.name`;

/** The partitions of past days, and the partitions that an interrupted run has detached. */
async function planPartitions(pool: pg.Pool, table: string, isDistributed: boolean): Promise<Step[]> {
  const detached = await listDays(pool, table, 'detached');
  const past = isDistributed ? [] : (await listDays(pool, table, 'attached')).filter(({ isPast }) => isPast);
  return [...detached, ...past].map(({ name, estimate, bytes }) => ({
    action: 'distribute later',
    table: name,
    rows: estimate,
    bytes,
  }));
}

type DayRow = { name: string; estimate: number; bytes: number; isPast: boolean; day: string };

async function listDays(
  client: Pick<pg.Pool, 'query'>,
  table: string,
  which: 'attached' | 'detached',
): Promise<DayRow[]> {
  const { rows } = await client.query<DayRow>(
    `select relname as name, greatest(0, reltuples)::bigint as estimate, pg_table_size(oid) as bytes,
        day::text, day < (now() at time zone 'utc')::date as "isPast"
      from pg_class cross join lateral (select to_date(right(relname, 10), 'YYYY_MM_DD') as day) as named
      where relname ~ ('^' || $1 || '_\\d{4}_\\d{2}_\\d{2}$') and relkind = 'r' and relnamespace = current_schema()::regnamespace
        and relispartition = $2
      order by relname`,
    [table, which === 'attached'],
  );
  return rows;
}

/** Throws DistributionError if tables cannot be distributed from this connection. */
async function readCluster(pool: pg.Pool): Promise<{ citus: string; nodes: string[] }> {
  const { rows: extensions } = await pool.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'citus'`,
  );
  const citus = extensions[0]?.version;
  if (citus === undefined)
    throw new DistributionError(
      'This database has no Citus. Install it on every server, then run: create extension citus;',
    );
  const { rows } = await pool.query<{ node: string | null; is_coordinator: boolean }>(
    `select groupid = 0 as is_coordinator, (
        select string_agg(nodename || ':' || nodeport, ' ' order by nodename, nodeport) from pg_dist_node
        where noderole = 'primary' and isactive and shouldhaveshards
      ) as node from pg_dist_local_group`,
  );
  const { node = null, is_coordinator: isCoordinator = false } = rows[0] ?? {};
  if (!isCoordinator)
    throw new DistributionError('This server is not the coordinator of the cluster. Set DATABASE_URL to that server.');
  if (node === null)
    throw new DistributionError(
      `The cluster has no server for the tables. Run: select citus_add_node('db1.example', 5432);`,
    );
  return { citus, nodes: node.split(' ') };
}

/**
 * Distributes what the plan lists, and resolves when all is done. `shards` is the number of shards of each table, which
 * limits the number of servers.
 */
export async function distribute(
  pool: pg.Pool,
  distributed: DistributedTables,
  { shards, log }: { shards: number; log: Log },
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { steps } = await planDistribution(pool, distributed);
    // With it, statements of one transaction reach a shard over one connection.
    await client.query(`set citus.multi_shard_modify_mode to 'sequential'`);
    const tables = steps.filter(({ action }) => action === 'distribute').map(({ table }) => table);
    const hasBegun = steps.some(({ action }) => action === 'none');
    await whenFree(log, () =>
      inTransaction(client, async () => {
        for (const table of distributed.daily) {
          const past = tables.includes(table) ? await listDays(client, table, 'attached') : [];
          for (const { name, isPast } of past)
            if (isPast) await client.query(`alter table ${table} detach partition ${name}`);
        }
        for (const table of tables) {
          const isFirst = table === tables[0] && !hasBegun;
          await client.query(`select create_distributed_table($1, 'game_id', colocate_with => $2, shard_count => $3)`, [
            table,
            isFirst ? 'none' : LEADING_TABLE,
            isFirst ? shards : null,
          ]);
          log.info({ table }, 'distributed a table');
        }
        await createFunction(client);
      }),
    );
    for (const table of distributed.daily) await distributeDays(client, table, log);
    for (const table of await listLocalData(client)) {
      await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table]);
    }
  } finally {
    // The setting and the lock end with the connection.
    client.release(true);
  }
}

/**
 * Distributes the tables that migrations have added to a distributed database, like the others. Does nothing on a
 * database that is not distributed.
 */
export async function distributeAdded(pool: pg.Pool, distributed: DistributedTables, log: Log): Promise<void> {
  const { rows } = await pool.query(`select from pg_proc where proname = $1`, [RUN_IN_SHARD]);
  if (rows.length === 0) return;
  const { steps } = await planDistribution(pool, distributed);
  // The tables get as many shards as the others.
  if (steps.some(({ action }) => action === 'distribute')) await distribute(pool, distributed, { shards: 1, log });
}

/** Past days are read-only, so nothing waits while they are distributed. */
async function distributeDays(client: pg.PoolClient, table: string, log: Log): Promise<void> {
  for (const { name, day } of await listDays(client, table, 'detached')) {
    await whenFree(log, () =>
      inTransaction(client, async () => {
        await client.query(
          `select create_distributed_table($1, 'game_id', colocate_with => $2)
            where not exists (select from pg_dist_partition where logicalrelid = $1::regclass)`,
          [name, LEADING_TABLE],
        );
        await client.query(
          `alter table ${table} attach partition ${name} for values from ('${day}T00:00:00Z') to ('${nextDay(day)}T00:00:00Z')`,
        );
      }),
    );
    log.info({ table: name }, 'distributed a table');
  }
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** Distributed tables whose rows are still on the coordinator as well, where no query sees them. */
async function listLocalData(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select logicalrelid::text as table from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      where partmethod = 'h' and relkind = 'r' and pg_relation_size(pg_class.oid) > 0`,
  );
  return rows.map(({ table }) => table);
}

/**
 * Creates the function that runs a statement in a shard, on every server. Citus passes the call to the server of the
 * game. A lock keeps the shard there until the transaction ends: moving it waits, as for statements of Citus's own.
 */
async function createFunction(client: pg.PoolClient): Promise<void> {
  const parameters = Array.from({ length: MAX_PARAMETERS }, (_, index) => `p${index + 1}`);
  const signature = ['game uuid', 'shard bigint', 'statement text'];
  await client.query(`
    create or replace function ${RUN_IN_SHARD}(${signature.join(', ')}, ${parameters.map((name) => `${name} text default null`).join(', ')})
    returns setof json language plpgsql set citus.enable_manual_changes_to_shards = on as $$
    declare
      share_lock constant integer := 5;
      result record;
    begin
      perform lock_shard_metadata(share_lock, array[shard]);
      if get_shard_id_for_distribution_column('${LEADING_TABLE}', game) is distinct from shard
        or not exists (select from pg_dist_placement join pg_dist_local_group using (groupid) where shardid = shard)
      then
        raise exception 'the shard of the game has moved' using errcode = 'serialization_failure';
      end if;
      for result in execute statement using ${parameters.join(', ')} loop
        return next to_json(result);
      end loop;
    end
    $$`);
  const types = ['uuid', 'bigint', 'text', ...parameters.map(() => 'text')].join(', ');
  await client.query(
    `select create_distributed_function('${RUN_IN_SHARD}(${types})', 'game', colocate_with => '${LEADING_TABLE}', force_delegation => true)`,
  );
}

async function inTransaction(client: pg.PoolClient, work: () => Promise<void>): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** SQLSTATE of a lock that was not available in time, and of a deadlock. */
const LOCKED = new Set(['55P03', '40P01']);

async function whenFree(log: Log, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !LOCKED.has((error as { code?: string }).code ?? '')) throw error;
      log.warn('waiting for a table that is in use, such as by a backup');
      await wait(RETRY_MS);
    }
  }
}
