// Reads from a replica of the database, as long as it is recent enough and has what the caller has written; otherwise
// from the primary (docs/adr/0021-read-replicas.md).
//
// How old the replica's data is can't be read from the replica alone: one that lost its connection doesn't know what it is
// missing. So each process writes a beat, a number, to the primary once a second, and remembers when. The data of the
// replica is at most as old as the last beat that is found in it. After each beat, the process checks the replica, and
// sets its state:
//
// - `ok`: its last beat is not older than the bound that is set. It is the only state in which it is read.
// - `behind`: its last beat is older, or this process has no beat in it yet.
// - `unreachable`: it didn't respond to the check or to a read within the limit. The next check that succeeds ends
//   this.
// - `not a standby`, `distributed database`: it is set up in a way that beats say nothing about.
//
// A caller must see their own writes. After each write, a counter of the account and of the game is increased on the
// primary. A read first takes both counters from the primary, then, on one connection, the beat and the counters of the
// replica: a lower counter there sends the read to the primary. The check and the read use the same connection, because
// another one may lead to another replica.
//
// A read that fails or takes too long on the replica is repeated on the primary. Therefore, what is read this way must
// not write.
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '@chauffeur/contract/errors';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Presence } from '../processes/presence.ts';
import type { Log } from '../telemetry/log.ts';
import type { REPLICA_RESULTS } from '../telemetry/metric-table.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Database, type Db, isDatabaseAway, openDatabase } from './db.ts';
import {
  countWrite,
  MAX_STATEMENT_MS,
  type ReplicaRow,
  readReplica,
  readWrites,
  type Writer,
  writeBeat,
} from './replica.sql.ts';
import { shardsOf } from './shards.ts';

export type ReplicaState = 'ok' | 'unreachable' | 'behind' | 'not a standby' | 'distributed database';

export type Replica = {
  /**
   * Runs `work`, which only reads, on the replica, or on the primary: if the replica is behind, misses a write of one
   * of the writers, or fails. `work` may run a second time.
   */
  read<T>(writer: Writer, work: (db: Db) => Promise<T>): Promise<T>;
  /** Counts a write that was committed before. From now on, `read` for the same writer returns it. */
  countWrite(writer: Writer): Promise<void>;
  /** The state when it was last checked, which happens once a second. `lagSeconds` is null if it is unknown. */
  state(): { readonly state: ReplicaState; readonly lagSeconds: number | null };
  close(): Promise<void>;
};

type Result = (typeof REPLICA_RESULTS)[number];
type Beat = { readonly processNo: number; readonly no: number; readonly at: number };

export type ReplicaOptions = {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** The pool of the primary. */
  readonly primary: Db;
  readonly connections: number;
  /** Data of the replica that is older is not used. */
  readonly maxLagSeconds: number;
  /** The role of the process, for the names of connections. */
  readonly role: string;
  readonly presence: Presence;
  readonly log: Log;
  readonly metrics: Metrics;
};

const BEAT_MS = 1000;
/** The limit of connecting to the replica, and of what it returns about itself. */
const CHECK_MS = 1000;

/** Starts to beat. Without a replica that responds, everything is read from the primary. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { primaryUrl, replicaUrl, primary, connections, maxLagSeconds, role, presence, log, metrics } = options;
  const replica = openDatabase(replicaUrl, { connections, log, name: `chauffeur-${role}-reads`, connectMs: CHECK_MS });
  // Beats must not wait for a connection while all are in use.
  const beating = openDatabase(primaryUrl, { connections: 1, log, name: `chauffeur-${role}-beats` });
  presence.onSilence(() => beating.cut());
  const closing = new AbortController();
  /** The beats that are not older than the largest lag, the oldest first. */
  let beats: Beat[] = [];
  let lastNo = 0;
  let current: { state: ReplicaState; lagSeconds: number | null } = { state: 'unreachable', lagSeconds: null };
  /** The last state that the log has: that a replica was never reachable must be there as well. */
  let logged: ReplicaState | null = null;

  async function beat(): Promise<void> {
    const { processNo } = presence.current();
    lastNo += 1;
    const next = { processNo, no: lastNo, at: performance.now() };
    await writeBeat(beating.db, processNo, next.no);
    const oldest = next.at - maxLagSeconds * 1000;
    beats = [...beats.filter(({ at }) => at >= oldest), next];
  }

  /** The age of the data in milliseconds, at most: the replica has everything up to its last beat. Null if unknown. */
  function ageOf(row: ReplicaRow, processNo: number): number | null {
    const last = beats.findLast((each) => each.processNo === processNo && row.beat !== null && each.no <= row.beat);
    return last === undefined ? null : performance.now() - last.at;
  }

  function stateOf(row: ReplicaRow, processNo: number): ReplicaState {
    if (!row.isStandby) return 'not a standby';
    const age = ageOf(row, processNo);
    return age !== null && age <= maxLagSeconds * 1000 ? 'ok' : 'behind';
  }

  function setState(state: ReplicaState, lagSeconds: number | null, err?: unknown): void {
    if (state !== logged) {
      if (state === 'ok') log.info('reads use the database replica');
      else log.warn({ err, state }, 'reads use the primary, because the database replica cannot be used');
    }
    logged = state;
    current = { state, lagSeconds };
    if (lagSeconds === null) metrics.replicaLag.clear();
    else metrics.replicaLag.set(lagSeconds);
  }

  async function check(): Promise<void> {
    const processNo = beats.at(-1)?.processNo;
    if ((await shardsOf(primary)) !== null) return setState('distributed database', null);
    const row = await onConnection(replica, CHECK_MS, async (db) => readReplica(db, processNo ?? 0, {}));
    const age = processNo === undefined ? null : ageOf(row, processNo);
    setState(processNo === undefined ? 'behind' : stateOf(row, processNo), age === null ? null : age / 1000);
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      await beat().catch((err) => log.warn({ err }, 'could not write the beat that shows how recent a replica is'));
      await check().catch((err) => setState('unreachable', null, err));
      await wait(BEAT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  /** The result of `work` on the replica, or why it was not used. */
  async function tryReplica<T>(writer: Writer, work: (db: Db) => Promise<T>): Promise<{ result: Result; value?: T }> {
    const processNo = beats.at(-1)?.processNo;
    if (current.state === 'unreachable' || processNo === undefined) return { result: 'unreachable' };
    if ((await shardsOf(primary)) !== null) return { result: 'distributed' };
    // Read now, not when the connection to the replica is there: the caller's writes up to this moment count.
    const writes = await readWrites(primary, writer);
    if (!writes.counted) return { result: 'writes_not_counted' };
    return onConnection(replica, CHECK_MS, async (db, extend) => {
      const row = await readReplica(db, processNo, writer);
      const state = stateOf(row, processNo);
      if (state !== 'ok') return { result: state === 'behind' ? 'behind' : 'not_standby' };
      if (row.account < writes.account || row.game < writes.game) return { result: 'own_write' };
      extend(MAX_STATEMENT_MS);
      return { result: 'replica', value: await work(db) };
    });
  }

  async function read<T>(writer: Writer, work: (db: Db) => Promise<T>): Promise<T> {
    const { result, value } = await tryReplica(writer, work).catch((error) => {
      // Such as an object that the replica doesn't have yet.
      if (error instanceof ApiError) return { result: 'not_found' as const, value: undefined };
      if (isDatabaseAway(error) || error instanceof SlowReplicaError) setState('unreachable', null, error);
      else log.warn({ err: error }, 'a read failed on the database replica and is repeated on the primary');
      return { result: 'failed' as const, value: undefined };
    });
    metrics.replicaReads.inc({ result });
    return result === 'replica' ? (value as T) : work(primary);
  }

  await beat().catch((err) => log.warn({ err }, 'could not write the beat that shows how recent a replica is'));
  const running = run();
  return {
    read,
    countWrite: (writer) => countWrite(primary, writer),
    state: () => current,
    async close() {
      closing.abort();
      await running;
      await Promise.all([replica.close(), beating.close()]);
    },
  };
}

/** The replica took too long. */
class SlowReplicaError extends Error {
  override readonly name = 'SlowReplicaError';
}

const dbs = new WeakMap<pg.PoolClient, Db>();

/**
 * Runs `work` on one connection, because others may lead to another replica. Closes the connection after an error, and
 * after `milliseconds`, which `extend` sets again from now on.
 */
async function onConnection<T>(
  { pool }: Database,
  milliseconds: number,
  work: (db: Db, extend: (milliseconds: number) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const late = Promise.withResolvers<never>();
  const start = (delay: number) =>
    setTimeout(() => late.reject(new SlowReplicaError(`no response within ${delay} ms`)), delay);
  let timer = start(milliseconds);
  try {
    const working = work(dbOf(client), (delay) => {
      clearTimeout(timer);
      timer = start(delay);
    });
    // After the time is up, its failure is expected.
    working.catch(() => undefined);
    const value = await Promise.race([working, late.promise]);
    client.release();
    return value;
  } catch (error) {
    client.release(!(error instanceof ApiError));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Kept with the connection, with what is known about the database. */
function dbOf(client: pg.PoolClient): Db {
  const existing = dbs.get(client);
  if (existing !== undefined) return existing;
  // The connection returns to its pool when all statements have ended, not after each.
  const connection = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  const single = { connect: async () => connection, end: async () => undefined, options: {} };
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool: single }) });
  dbs.set(client, db);
  return db;
}
