// Reports a failed operator command: one plain message, no stack, exit code 1.
import { ApiError } from '@chauffeur/contract/errors';

/** Errors whose message is enough for the operator. Other errors are unexpected, so their stack is printed as well. */
const PLAIN = new Set([
  'BackupError',
  'ConfigError',
  'DistributionError',
  'EmbeddedPostgresError',
  'MigrationError',
  'AccountError',
  'UsageError',
]);

/** The arguments of a command are invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function failPlainly(error: unknown): void {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
}

function describe(error: unknown): string {
  if (error instanceof ApiError) return `error ${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `error: ${address}:${port} is in use. Stop the program that uses it, or set CHAUFFEUR_PORT or CHAUFFEUR_METRICS_PORT to another port.`;
  if (code === 'ECONNREFUSED')
    return 'error: cannot connect to PostgreSQL at DATABASE_URL. Start it, or correct the address.';
  // SQLSTATE read_only_sql_transaction.
  if (code === '25006')
    return 'error: The PostgreSQL at DATABASE_URL is read-only, like a standby. Use the address of the primary.';
  return PLAIN.has(error.name) ? `error: ${error.message}` : `error: ${error.stack ?? error.message}`;
}
