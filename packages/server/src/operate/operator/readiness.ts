// Checks whether the parts that the service needs respond.
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { rows } from '../../kernel/database/db.ts';
import type { ReplicaState } from '../../kernel/database/replica.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { PARTS } from '../../kernel/telemetry/metric-table.ts';
import { logRepeated } from '../../request/failures.ts';

const CHECK_MS = 3000;

type Part = (typeof PARTS)[number];
export type PartState = 'ok' | 'failed' | 'not configured';

/** The state of each part. The reason for a failure is logged instead of returned. */
export async function checkParts(ctx: Context): Promise<Record<Part, PartState>> {
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

/** A replica that can't be used makes the service slower; the primary answers for it. */
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
