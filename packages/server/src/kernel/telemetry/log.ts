// Structured logs, one JSON object per line, from which secrets are removed.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Names of fields that are never logged, in any case and at any depth. */
const SECRET_FIELDS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-secret-key',
  'x-access-token',
  'password',
  'secret',
  'secret_key',
  'token',
]);
const CENSORED = '[redacted]';
const MAX_DEPTH = 8;

/** Child loggers add fields without secrets, such as the id of a request; only the fields of each line are checked. */
export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Not pino's own redaction: with paths for each depth it takes 25 µs per line, as much as a request without it.
      formatters: { level: (label) => ({ level: label }), log: censor },
      serializers: { err: describeError },
    },
    destination,
  );
}

/** The fields without secrets. Class instances are left to the serializers. */
function censor(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    SECRET_FIELDS.has(name.toLowerCase()) ? CENSORED : censored(value, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function censored(value: unknown, depth: number): unknown {
  // Nothing worth logging is nested this deeply, and a circular structure never ends.
  if (depth === MAX_DEPTH) return CENSORED;
  if (Array.isArray(value)) return value.map((item) => censored(item, depth + 1));
  return isPlainObject(value) ? censor(value, depth) : value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An error as operators need it: with its causes, but without the parameters of a failed query. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
