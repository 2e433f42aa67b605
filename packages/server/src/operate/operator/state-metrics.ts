// Sets the metrics that have to be read from elsewhere: the database, the scanner and the disk. They are read when the
// metrics are, but not more often than every few seconds, and a part that does not respond cannot delay the others.
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { countWaitingLookups } from '../../crash/symbols/symbols.sql.ts';
import { SECOND } from '../../kernel/clock.ts';
import { listJobKinds } from '../../kernel/jobs/jobs.ts';
import { type METRICS, PARTS } from '../../kernel/telemetry/metric-table.ts';
import { readScanBacklog } from '../../ship/files/files.sql.ts';
import { countAllOpen } from '../../ship/uploads/uploads.sql.ts';
import { countPending } from '../../team/approvals/approvals.sql.ts';
import { readLatestBackups } from '../backups/backups.ts';
import { checkReadiness, readDiskSpace, readScanner } from './service-parts.ts';
import * as jobs from './state.sql.ts';
import * as state from './state.sql.ts';

type GaugeName = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['kind'] extends 'gauge' ? Name : never;
}[keyof typeof METRICS];

type Reading = {
  readonly name: (typeof METRICS)['failedReadings']['labels']['reading'][number];
  /** The time after which the values are read again. */
  readonly seconds: number;
  /** The gauges that `read` sets, and that are absent after a failure. */
  readonly gauges: readonly GaugeName[];
  readonly read: (ctx: Context) => Promise<void>;
};

/** The limit is less than the default timeout of Prometheus, 10 seconds. */
const TIMEOUT_MS = 4 * SECOND;
/** Values are used for at least this many times as long as reading them took. A long queue takes longer to count. */
const REST_FACTOR = 20;
/** The time after a failure, even if values are otherwise used for longer. */
const RETRY_SECONDS = 10;

const READINGS: readonly Reading[] = [
  { name: 'parts', seconds: 10, gauges: ['partUp'], read: readParts },
  { name: 'queue', seconds: 5, gauges: ['queueJobs', 'queueOldest'], read: readQueue },
  {
    name: 'work',
    seconds: 10,
    gauges: ['openSessions', 'filesAwaitingScan', 'oldestAwaitingScan', 'approvalsPending', 'symbolLookupsWaiting'],
    read: readWork,
  },
  {
    name: 'database',
    seconds: 30,
    gauges: ['databaseConnections', 'maxDatabaseConnections', 'databaseBytes'],
    read: readDatabase,
  },
  { name: 'storage', seconds: 300, gauges: ['storedBytes', 'storedBlobs', 'stored'], read: readStorage },
  { name: 'disk', seconds: 10, gauges: ['diskFree', 'diskSize'], read: readDisk },
  { name: 'backups', seconds: 30, gauges: ['lastBackup', 'lastFailedBackup', 'backupSeconds'], read: readBackups },
  { name: 'scanner', seconds: 60, gauges: ['scannerSignatures'], read: readSignatures },
];

/** Adds the state of the service to the metrics, from now on. */
export function watchState(ctx: Context): void {
  for (const reading of READINGS) ctx.metrics.onRead(refresher(ctx, reading));
}

/** Returns a function that reads the values again if they are too old, and waits for them, but not for long. */
function refresher(ctx: Context, { name, seconds, gauges, read }: Reading): () => Promise<void> {
  let current: Promise<void> | undefined;
  let validUntil = 0;

  function fail(err: unknown): void {
    for (const gauge of gauges) ctx.metrics[gauge].clear();
    ctx.metrics.failedReadings.inc({ reading: name });
    ctx.log.warn({ err, reading: name }, 'values for /metrics could not be read');
  }

  async function readNow(): Promise<void> {
    const begun = performance.now();
    let lifetime = seconds;
    try {
      await read(ctx);
    } catch (error) {
      lifetime = Math.min(seconds, RETRY_SECONDS);
      fail(error);
    }
    const now = performance.now();
    validUntil = now + Math.max(lifetime * SECOND, REST_FACTOR * (now - begun));
    current = undefined;
  }

  return async () => {
    if (current === undefined) {
      if (performance.now() < validUntil) return;
      current = readNow();
    }
    const done = new AbortController();
    const late = wait(TIMEOUT_MS, true, { signal: done.signal }).catch(() => false);
    if (await Promise.race([current.then(() => false), late])) fail(new Error(`no response within ${TIMEOUT_MS} ms`));
    done.abort();
  };
}

async function readParts(ctx: Context): Promise<void> {
  const { partUp } = ctx.metrics;
  const states = await checkReadiness(ctx);
  for (const part of PARTS) if (states[part] !== 'not configured') partUp.set({ part }, states[part] === 'ok' ? 1 : 0);
}

async function readQueue({ db, metrics }: Context): Promise<void> {
  const counts = new Map((await jobs.countJobs(db)).map((count) => [count.task, count]));
  const now = Date.now();
  metrics.queueJobs.clear();
  metrics.queueOldest.clear();
  for (const { task, lane } of listJobKinds()) {
    const count = counts.get(task);
    const states = {
      waiting: count?.waiting,
      scheduled: count?.later,
      running: count?.running,
      failed: count?.failed,
    };
    for (const state of ['waiting', 'scheduled', 'running', 'failed'] as const)
      metrics.queueJobs.set({ task, lane, state }, states[state] ?? 0);
    const oldest = count?.oldest_waiting_at ?? null;
    metrics.queueOldest.set({ task, lane }, oldest === null ? 0 : Math.max(0, (now - oldest.getTime()) / SECOND));
  }
}

async function readWork(ctx: Context): Promise<void> {
  const { db, metrics } = ctx;
  const [backlog, sessions, approvals, lookups] = await Promise.all([
    readScanBacklog(db),
    countAllOpen(db),
    countPending(db),
    countWaitingLookups(db),
  ]);
  metrics.filesAwaitingScan.set(backlog.count);
  metrics.oldestAwaitingScan.set(backlog.oldest_seconds);
  metrics.openSessions.set(sessions);
  metrics.approvalsPending.set(approvals);
  metrics.symbolLookupsWaiting.set(lookups);
}

async function readDatabase({ db, metrics }: Context): Promise<void> {
  const { bytes, connections, most_connections: max } = await state.readDatabase(db);
  metrics.databaseBytes.set(bytes);
  metrics.databaseConnections.set(connections);
  metrics.maxDatabaseConnections.set(max);
}

async function readStorage({ db, metrics }: Context): Promise<void> {
  const [kept, totals] = await Promise.all([state.countKept(db), state.countTotals(db)]);
  for (const { what: kind, count, bytes } of kept) {
    metrics.storedBlobs.set({ kind }, count);
    metrics.storedBytes.set({ kind }, bytes);
  }
  metrics.stored.set({ kind: 'accounts' }, totals.users);
  metrics.stored.set({ kind: 'games' }, totals.games);
  metrics.stored.set({ kind: 'builds' }, totals.builds);
}

async function readDisk(ctx: Context): Promise<void> {
  const { free, total } = await readDiskSpace(ctx);
  ctx.metrics.diskFree.set(free);
  ctx.metrics.diskSize.set(total);
}

async function readBackups(ctx: Context): Promise<void> {
  const { succeeded_at: succeeded, failed_at: failed, seconds } = await readLatestBackups(ctx);
  ctx.metrics.lastBackup.set(unixTime(succeeded));
  ctx.metrics.lastFailedBackup.set(unixTime(failed));
  ctx.metrics.backupSeconds.set(seconds ?? 0);
}

async function readSignatures(ctx: Context): Promise<void> {
  const { signatures_day: day } = await readScanner(ctx);
  if (day === null) ctx.metrics.scannerSignatures.clear();
  else ctx.metrics.scannerSignatures.set(Date.parse(day) / SECOND);
}

/** The time in seconds since 1970; 0 for null. */
function unixTime(time: Date | null): number {
  return (time?.getTime() ?? 0) / SECOND;
}
