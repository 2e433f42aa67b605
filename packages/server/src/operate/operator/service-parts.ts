// Checks the parts of the service, such as the blob storage, the scanner and the disk, each with a time limit: in
// detail for operators, and for the readiness probe whether they respond.
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { rows } from '../../kernel/database/db.ts';
import type { ReplicaState } from '../../kernel/database/replica.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { PARTS } from '../../kernel/telemetry/metric-table.ts';
import { logRepeated } from '../../request/failures.ts';
import type { ServiceState } from './problems.ts';

const TIMEOUT_MS = 3000;

/** The result of `check`; null if it fails or exceeds the time limit, because an operator is waiting for the page. */
async function checkWithTimeout<T>({ log }: Context, part: string, check: () => Promise<T>): Promise<T | null> {
  const finished = new AbortController();
  const timeout = wait(TIMEOUT_MS, null, { signal: finished.signal }).catch(() => null);
  try {
    return await Promise.race([check(), timeout]);
  } catch (err) {
    log.warn({ err, part }, 'a part of the service does not respond');
    return null;
  } finally {
    finished.abort();
  }
}

export async function readScanner(ctx: Context): Promise<ServiceState['scanner']> {
  const { clamd, clamdStreamLimit: streamLimit } = ctx.config;
  const unknown = { engine: null, signatures: null, signatures_day: null };
  if (clamd === undefined) return { configured: false, reachable: false, ...unknown };
  const version = await checkWithTimeout(ctx, 'scanner', () =>
    createClamdScanner({ address: clamd, streamLimit }).version(),
  );
  if (version === null) return { configured: true, reachable: false, ...unknown };
  const { engine, signatures } = version;
  const day = /\((\d{4}-\d{2}-\d{2})\)$/.exec(signatures ?? '')?.[1] ?? null;
  return { configured: true, reachable: true, engine, signatures, signatures_day: day };
}

export async function readServiceStorage(ctx: Context): Promise<Omit<ServiceState['storage'], 'kept'>> {
  const [reachable, disk] = await Promise.all([
    checkWithTimeout(ctx, 'blobs', () => ctx.blobs.check().then(() => true)),
    checkWithTimeout(ctx, 'disk', () => readDiskSpace(ctx)),
  ]);
  return {
    kind: ctx.blobs.describe().kind,
    reachable: reachable === true,
    free_bytes: disk?.free ?? null,
    total_bytes: disk?.total ?? null,
  };
}

/** The space in bytes on the disk of the data folder. */
export async function readDiskSpace({ config }: Context): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(config.dataFolder);
  return { free: bavail * bsize, total: blocks * bsize };
}

const CHECK_MS = 3000;

type Part = (typeof PARTS)[number];
type PartState = 'ok' | 'failed' | 'not configured';

/** The state of each part. The reason for a failure is logged instead of returned. */
export async function checkReadiness(ctx: Context): Promise<Record<Part, PartState>> {
  const { clamd, clamdStreamLimit: streamLimit } = ctx.config;
  const checks: Record<Part, (() => Promise<unknown>) | undefined> = {
    database: () => rows(ctx.db, sql`select 1`),
    replica: ctx.replica === undefined ? undefined : async () => requireUsed(ctx.replica!.state().state),
    blobs: () => ctx.blobs.check(),
    scanner: clamd === undefined ? undefined : () => createClamdScanner({ address: clamd, streamLimit }).ping(),
  };
  const results = PARTS.map(async (name) => [name, await stateOf(ctx, name, checks[name])] as const);
  return Object.fromEntries(await Promise.all(results)) as Record<Part, PartState>;
}

/** Throws if the replica can't be used. Then the service is slower, because the primary answers instead. */
function requireUsed(state: ReplicaState): void {
  if (state !== 'ok') throw new Error(`the database replica is not used: ${state}`);
}

async function stateOf(ctx: Context, name: Part, check: (() => Promise<unknown>) | undefined): Promise<PartState> {
  if (check === undefined) return 'not configured';
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${CHECK_MS} ms`)), CHECK_MS);
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch (err) {
    logRepeated(ctx, ctx.log, 'warn', { err, part: name }, 'readiness check failed');
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
