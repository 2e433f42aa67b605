// Finds out whether a pooler between the server and PostgreSQL gives the same connection to several clients in turns,
// as PgBouncer does with `pool_mode = transaction`. Locks of sessions, LISTEN and prepared statements then get lost or
// mixed up, which shows only under load.
import pg from 'pg';

/** A pooler that changes the connection between two transactions. */
class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

const TIMEOUT_MS = 10_000;

/**
 * Throws PoolerError if the connections at this URL are shared by clients.
 *
 * Two clients are connected at the same time. Without a pooler, or with one that pools sessions, each has its own
 * process of PostgreSQL, and keeps it. While the second one is in a transaction, the first asks again: if it had the
 * process that the second one now has, or if it has another one than before, its process is not its own.
 */
export async function refuseTransactionPooling(connectionString: string): Promise<void> {
  const clients = [openClient(connectionString), openClient(connectionString)] as const;
  try {
    const [first, second] = clients;
    await first.connect();
    await second.connect();
    const before = await processOf(first);
    await second.query('begin');
    const other = await processOf(second);
    const after = await processOf(first);
    await second.query('commit');
    if (before === after && before !== other) return;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
  throw new PoolerError(
    'the pooler at DATABASE_URL, such as PgBouncer, pools transactions. The server needs a session for itself: for locks, LISTEN and prepared statements. Set pool_mode = session for this database, or use the address of PostgreSQL itself.',
  );
}

function openClient(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'chauffeur-pooler-check',
  });
  // Without a listener, a connection that breaks would end the process. Its queries reject.
  client.on('error', () => undefined);
  return client;
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
