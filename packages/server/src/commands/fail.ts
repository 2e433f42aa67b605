// How a command of the operator ends when it cannot be done: one plain message, no stack, exit code 1.
import { ApiError } from '@chauffeur/contract/errors';

/** Errors whose message is written for the operator. The others are unexpected, and their stack helps. */
const PLAIN = new Set(['ConfigError', 'EmbeddedPostgresError', 'MigrationError', 'AccountError', 'UsageError']);

/** What was asked of the command is not possible as it stands. */
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
    return `error: ${address}:${port} is in use: stop what listens there, or set CHAUFFEUR_PORT.`;
  if (code === 'ECONNREFUSED')
    return 'error: PostgreSQL does not answer at DATABASE_URL: start it, or correct the address.';
  return PLAIN.has(error.name) ? `error: ${error.message}` : `error: ${error.stack ?? error.message}`;
}
