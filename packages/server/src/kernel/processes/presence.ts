// Finds out which processes of the service are alive, without timers. Each holds an advisory lock on its own
// number while its connection to the database lasts, and PostgreSQL releases the lock the moment the process dies.
//
// The connection also shows whether the database is still there. A server that loses its power or its network closes no
// connection, and TCP would take a quarter of an hour to give up.
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errors } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import pg from 'pg';
import { type Db, row, rows } from '../database/db.ts';
import type { Log } from '../telemetry/log.ts';

/** One registration of this process. After its connection breaks, the process registers again under another number. */
export type ProcessMembership = {
  /** The number that marks rows as held by this process. */
  readonly processNo: number;
  /** Aborted when the connection breaks. From then on, others may take over what this number held. */
  readonly lost: AbortSignal;
};

export type Presence = {
  /** Throws `unavailable` while the process is not registered. */
  current(): ProcessMembership;
  /** Undefined while the process is not registered. */
  registered(): ProcessMembership | undefined;
  /** Records a job worker of this process, so that its jobs can be released if the process dies. */
  addWorker(workerId: string): Promise<void>;
  /** Calls `listener` when the database has not responded for 20 s, so connections that are open then are dead. */
  onSilence(listener: () => void): void;
  /**
   * Releases the lock. The row stays until a worker removes it like that of a dead process, which also releases a job
   * whose end could not be recorded. Leaving therefore needs no query; the database may be gone already.
   */
  leave(): Promise<void>;
};

type Stay = ProcessMembership & { readonly client: pg.Client; readonly socket: Socket };

/** The class of the lock keys, which no other advisory lock of the database uses. */
const LOCK_CLASS = 40_119;
const REJOIN_MS = 500;
/** The limit of connecting, and of each query; none of them has to wait for a lock. */
const TIMEOUT_MS = 10_000;
const BEAT_MS = 5_000;
/** The beats that pass without a response before the connection counts as dead. */
const MISSED_BEATS = 3;

/** Registers this process. `role` is shown to operators: start, api or worker. */
export async function joinPresence(connectionString: string, role: string, log: Log): Promise<Presence> {
  const workerIds: string[] = [];
  const silenceListeners: (() => void)[] = [];
  const leaving = new AbortController();
  let stay: Stay | undefined;
  let rejoining: Promise<void> | undefined;

  async function enter(): Promise<void> {
    const entered = await openStay(connectionString, role, workerIds);
    stay = entered;
    watch(entered, () => {
      log.warn('the database no longer responds; all connections to it are opened again');
      entered.socket.destroy();
      for (const listener of silenceListeners) listener();
    });
    entered.lost.addEventListener('abort', () => {
      stay = undefined;
      rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    let count = 0;
    while (!leaving.signal.aborted && stay === undefined) {
      await enter().catch(async (err) => {
        count += 1;
        // An outage may take hours, and each attempt fails in the same way.
        if (count === 1) log.warn({ err }, 'lost the connection that marks this process as alive; trying again');
        else log.debug({ count }, 'could not mark this process as alive; trying again');
        await wait(REJOIN_MS, undefined, { signal: leaving.signal }).catch(() => undefined);
      });
    }
    if (stay !== undefined && count > 0) log.info({ count }, 'marked this process as alive again');
  }

  await enter();
  return {
    current() {
      if (stay === undefined) throw errors.unavailable();
      return stay;
    },
    registered: () => stay,
    async addWorker(workerId) {
      workerIds.push(workerId);
      if (stay !== undefined) await recordWorkers(stay, workerIds);
    },
    onSilence(listener) {
      silenceListeners.push(listener);
    },
    async leave() {
      leaving.abort();
      // It may be registering again at this moment; the new connection must be closed as well.
      await rejoining;
      await stay?.client.end();
    },
  };
}

async function openStay(connectionString: string, role: string, workerIds: readonly string[]): Promise<Stay> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString,
    stream: () => socket,
    keepAlive: true,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'chauffeur-presence',
  });
  const lost = new AbortController();
  client.on('end', () => lost.abort(errors.unavailable()));
  // An error is always followed by 'end', which is handled.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const numbered = await client.query<{ no: number }>(`select nextval('process_numbers')::int as no`);
    const processNo = numbered.rows[0]?.no as number;
    // The lock comes before the row: a row without its lock counts as a dead process.
    await client.query('select pg_advisory_lock($1::int, $2::int)', [LOCK_CLASS, processNo]);
    const values = [processNo, role, workerIds];
    await client.query('insert into processes (process_no, role, worker_ids) values ($1, $2, $3)', values);
    return { processNo, lost: lost.signal, client, socket };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/**
 * Calls `onSilence` when a query has had no response for three beats. Counts beats, not seconds: a process that was
 * paused finds the response at the next beat.
 */
function watch({ client, lost }: Stay, onSilence: () => void): void {
  let missed = 0;
  let waiting = false;
  const ask = async () => {
    waiting = true;
    try {
      await client.query(BEAT);
    } catch {
      // The connection has broken, which is noticed as such.
    } finally {
      [waiting, missed] = [false, 0];
    }
  };
  const timer = setInterval(() => {
    if (!waiting) return void ask();
    missed += 1;
    if (missed === MISSED_BEATS) onSilence();
  }, BEAT_MS).unref();
  lost.addEventListener('abort', () => clearInterval(timer));
}

/** Its own limit, because a response that is late by less than three beats is a response. */
const BEAT = { text: 'select', query_timeout: BEAT_MS * (MISSED_BEATS + 2) };

async function recordWorkers({ client, processNo }: Stay, workerIds: readonly string[]): Promise<void> {
  await client.query('update processes set worker_ids = $2 where process_no = $1', [processNo, workerIds]);
}

const lockIsHeld = (processNo: unknown) =>
  sql`exists (select from pg_locks where locktype = 'advisory' and classid = ${LOCK_CLASS} and objid = ${processNo} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database()))`;

/** Whether the process with this number is alive. */
export async function isAlive(db: Db, processNo: number): Promise<boolean> {
  return (await row(db, sql`select 1 where ${lockIsHeld(processNo)}`)) !== undefined;
}

export type ProcessRow = { process_no: number; role: string; started_at: Date; takes_jobs: boolean; alive: boolean };

/** The running processes, and dead ones that were not removed yet. */
export function listProcesses(db: Db): Promise<ProcessRow[]> {
  return rows(
    db,
    sql<ProcessRow>`select process_no, role, started_at, worker_ids <> '{}' as takes_jobs, ${lockIsHeld(sql.ref('process_no'))} as alive
      from processes order by started_at, process_no`,
  );
}

/** Removes the processes that died or left. Returns their numbers, and the ids of their job workers. */
export function removeDead(db: Db): Promise<{ process_no: number; worker_ids: string[] }[]> {
  return rows(
    db,
    sql<{ process_no: number; worker_ids: string[] }>`delete from processes
      where not ${lockIsHeld(sql.ref('process_no'))} returning process_no, worker_ids`,
  );
}
