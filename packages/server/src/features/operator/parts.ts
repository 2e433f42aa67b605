// Asks the parts of the service how they are: storage, scanner and room, each with a moment to answer.
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import type { ServiceState } from './problems.ts';

const PATIENCE_MS = 3000;

/** What `question` answers; null when it fails, or takes longer than somebody who looks at a page waits. */
async function askOrGiveUp<T>({ log }: Context, part: string, question: () => Promise<T>): Promise<T | null> {
  const patience = new AbortController();
  const late = wait(PATIENCE_MS, null, { signal: patience.signal }).catch(() => null);
  try {
    return await Promise.race([question(), late]);
  } catch (err) {
    log.warn({ err, part }, 'a part of the service does not answer');
    return null;
  } finally {
    patience.abort();
  }
}

export async function readScanner(ctx: Context): Promise<ServiceState['scanner']> {
  const { clamd, clamdStreamLimit: streamLimit } = ctx.config;
  const nothing = { engine: null, signatures: null, signatures_day: null };
  if (clamd === undefined) return { configured: false, reachable: false, ...nothing };
  const found = await askOrGiveUp(ctx, 'scanner', () => createClamdScanner({ address: clamd, streamLimit }).version());
  if (found === null) return { configured: true, reachable: false, ...nothing };
  const { engine, signatures } = found;
  const day = /\((\d{4}-\d{2}-\d{2})\)$/.exec(signatures ?? '')?.[1] ?? null;
  return { configured: true, reachable: true, engine, signatures, signatures_day: day };
}

export async function readStorage(ctx: Context): Promise<Omit<ServiceState['storage'], 'kept'>> {
  const [answers, disk] = await Promise.all([
    askOrGiveUp(ctx, 'blobs', () => ctx.blobs.check().then(() => true)),
    askOrGiveUp(ctx, 'disk', () => statfs(ctx.config.dataFolder)),
  ]);
  return {
    kind: ctx.config.blobs === undefined ? 'files' : 's3',
    reachable: answers === true,
    free_bytes: disk === null ? null : disk.bavail * disk.bsize,
    total_bytes: disk === null ? null : disk.blocks * disk.bsize,
  };
}
