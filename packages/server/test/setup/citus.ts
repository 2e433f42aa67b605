// Databases on a Citus cluster, for the tests that run on one: `CHAUFFEUR_TEST_CITUS_URL` names its coordinator, as a
// superuser. A database of a cluster is one database of the same name on every server.
import pg from 'pg';
import { openDatabase } from '../../src/kernel/database/db.ts';
import { distribute } from '../../src/kernel/database/distribute.ts';
import { migrate } from '../../src/kernel/database/migrate.ts';
import { migrateJobs } from '../../src/kernel/jobs/jobs.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { createLog, type Log } from '../../src/kernel/telemetry/log.ts';
import { DISTRIBUTED_TABLES } from '../../src/registry.ts';
import { urlOfDatabase } from './database-url.ts';

/** The environment variable with the URL of the coordinator. */
export const CITUS_URL = 'CHAUFFEUR_TEST_CITUS_URL';

/** Whether the databases of tests are on a Citus cluster. */
export const ON_CITUS = process.env[CITUS_URL] !== undefined;

/** With few shards, databases are created quickly. */
const SHARDS = 4;

/** SQLSTATE of a database that others use. */
const IN_USE = '55006';

type Node = { readonly host: string; readonly port: number };

/** The servers of the cluster: the coordinator, then the workers. */
export type CitusCluster = { readonly coordinator: string; readonly workers: readonly Node[] };

export async function readCitusCluster(coordinator: string): Promise<CitusCluster> {
  const workers = await query<Node>(
    coordinator,
    `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and isactive order by nodeid`,
  );
  if (workers.length === 0) throw new Error(`${CITUS_URL}: the cluster has no workers`);
  return { coordinator, workers };
}

/** Creates an empty database on the coordinator and the workers, and joins them. */
export async function createCitusDatabase({ coordinator, workers }: CitusCluster, name: string): Promise<void> {
  for (const server of serversOf({ coordinator, workers })) {
    await query(server, `drop database if exists ${name} with (force)`);
    await query(server, `create database ${name}`);
    await query(urlOfDatabase(server, name), 'create extension citus');
  }
  const database = urlOfDatabase(coordinator, name);
  const { hostname, port } = new URL(coordinator);
  await query(database, 'select citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)]);
  for (const worker of workers) await query(database, 'select citus_add_node($1, $2)', [worker.host, worker.port]);
}

/**
 * Creates an empty database of the cluster for one test, with all tables but not distributed. With `names`, with the
 * tables of these migrations only.
 */
export async function createMigratedDatabase(
  names?: ReadonlySet<string>,
): Promise<{ url: string; drop(): Promise<void> }> {
  const cluster = await readCitusCluster(process.env[CITUS_URL]!);
  const name = `test_${newId().replaceAll('-', '')}`;
  await createCitusDatabase(cluster, name);
  const url = urlOfDatabase(cluster.coordinator, name);
  const log = createLog('warn');
  const { pool, close } = openDatabase(url, { connections: 2, log, name: 'migrate' });
  await migrate(pool, log, names === undefined ? {} : { names });
  await migrateJobs(pool);
  await close();
  return { url, drop: () => dropCitusDatabase(cluster, name) };
}

/** Creates a database without Citus on the coordinator's server. */
export async function createPlainDatabase({ coordinator }: CitusCluster, name: string): Promise<void> {
  await query(coordinator, `drop database if exists ${name} with (force)`);
  await query(coordinator, `create database ${name}`);
}

/** Lets the coordinator have shards, like the workers. */
export async function useCoordinatorForTables({ coordinator }: CitusCluster, name: string): Promise<void> {
  await query(
    urlOfDatabase(coordinator, name),
    `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node where groupid = 0`,
  );
}

/** Distributes the tables of a migrated database. */
export async function distributeDatabase(url: string, log: Log, shards = SHARDS): Promise<void> {
  const database = openDatabase(url, { connections: 2, log, name: 'distribute' });
  try {
    await distribute(database.pool, DISTRIBUTED_TABLES, { shards, log });
  } finally {
    await database.close();
  }
}

/** Makes a database a template, to which no one can connect. */
export async function closeCitusDatabase(cluster: CitusCluster, name: string): Promise<void> {
  for (const server of serversOf(cluster)) {
    await query(server, `alter database ${name} allow_connections false`);
    // These are processes of Citus.
    await query(server, 'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [name]);
  }
}

export async function copyCitusDatabase(cluster: CitusCluster, template: string, name: string): Promise<void> {
  await Promise.all(serversOf(cluster).map((server) => query(server, `create database ${name} template ${template}`)));
}

export async function dropCitusDatabase(cluster: CitusCluster, name: string): Promise<void> {
  for (const server of serversOf(cluster)) await drop(server, name, 5);
}

/** Citus's own processes may connect again in between, and then it fails. */
async function drop(server: string, name: string, tries: number): Promise<void> {
  try {
    await query(server, `drop database if exists ${name} with (force)`);
  } catch (error) {
    if (tries === 1 || (error as { code?: string }).code !== IN_USE) throw error;
    await drop(server, name, tries - 1);
  }
}

function serversOf({ coordinator, workers }: CitusCluster): string[] {
  const others = workers.map(({ host, port }) => {
    const url = new URL(coordinator);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  });
  return [coordinator, ...others];
}

async function query<Row extends object>(url: string, statement: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A database that is dropped ends its connections.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
