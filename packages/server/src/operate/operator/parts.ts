// Checks the parts of the service, storage, scanner and disk space, each with a time limit.
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
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

export async function readStorage(ctx: Context): Promise<Omit<ServiceState['storage'], 'kept'>> {
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

/** The space of the disk of the data folder, in bytes. */
export async function readDiskSpace({ config }: Context): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(config.dataFolder);
  return { free: bavail * bsize, total: blocks * bsize };
}
