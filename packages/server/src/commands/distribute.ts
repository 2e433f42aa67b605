// `distribute`: distributes the large tables over the servers of a Citus cluster. With `--dry-run`, it only says what
// would be done.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import { readProcessConfig } from '../config.ts';
import { distribute, type Plan, planDistribution } from '../kernel/database/distribute.ts';
import { compareMigrations } from '../kernel/database/migrate.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { DISTRIBUTED_TABLES } from '../registry.ts';
import { UsageError } from './fail.ts';
import { withDatabase } from './open-parts.ts';

type Options = { dryRun: boolean; shards: string; json: boolean };

const MAX_SHARDS = 1024;

export async function runDistribute({ dryRun, shards: shardsText, json }: Options): Promise<void> {
  const shards = Number(shardsText);
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS)
    throw new UsageError(`--shards: use a whole number from 1 to ${MAX_SHARDS}.`);
  const config = readProcessConfig();
  if (config.databaseUrl === undefined)
    throw new UsageError('The embedded PostgreSQL has no Citus. Set DATABASE_URL to the coordinator of a cluster.');
  const log = createLog(config.logLevel);
  await withDatabase(config, { log, name: 'distribute' }, async (pool) => {
    const { pending } = await compareMigrations(pool);
    if (pending.length > 0)
      throw new UsageError('The database is not at the newest schema. Run: chauffeur-server migrate');
    const plan = await planDistribution(pool, DISTRIBUTED_TABLES);
    if (!dryRun) await distribute(pool, DISTRIBUTED_TABLES, { shards, log });
    const result = dryRun ? plan : await planDistribution(pool, DISTRIBUTED_TABLES);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : describe(result));
  });
}

function describe({ citus, nodes, steps }: Plan): string {
  const lines = [`Citus ${citus}, ${nodes.length} ${nodes.length === 1 ? 'server' : 'servers'}: ${nodes.join(', ')}`];
  const width = Math.max(...steps.map(({ table }) => table.length));
  const list = (title: string, action: Plan['steps'][number]['action']) => {
    const selected = steps.filter((step) => step.action === action);
    if (selected.length === 0) return;
    lines.push('', title);
    for (const step of selected)
      lines.push(step.action === 'none' ? `  ${step.table}` : `  ${step.table.padEnd(width)}  ${sizeOf(step)}`);
  };
  list('Distributed in one transaction, which blocks writes:', 'distribute');
  list('Distributed afterwards, one by one, without blocking:', 'distribute later');
  list('Distributed:', 'none');
  return `${lines.join('\n')}\n`;
}

/** PostgreSQL estimates the number of rows from time to time. */
function sizeOf({ rows, bytes }: { rows: number; bytes: number }): string {
  return rows === 0 ? formatBytes(bytes) : `${formatBytes(bytes)}, about ${formatNumber(rows)} rows`;
}
