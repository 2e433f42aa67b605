// Queries the server of a cluster over its socket.
import pg from 'pg';
import type { Cluster } from './cluster.ts';

/** The superuser of the cluster. */
export const USER = 'chauffeur';

/** The connection string of a database of the cluster. */
export function urlOf(cluster: Cluster, database: string): string {
  return `postgresql://${USER}@/${database}?host=${encodeURIComponent(cluster.socketFolder)}`;
}

/** Runs one query on a separate connection; undefined if the server does not respond. */
export async function ask<T extends pg.QueryResultRow>(cluster: Cluster, query: string): Promise<T[] | undefined> {
  const client = new pg.Client({
    connectionString: urlOf(cluster, 'postgres'),
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<T>(query)).rows;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether the server accepts connections and belongs to this cluster. */
export async function answers(cluster: Cluster): Promise<boolean> {
  const settings = await ask<{ data_directory: string }>(cluster, 'show data_directory');
  return settings?.[0]?.data_directory === cluster.folder;
}
