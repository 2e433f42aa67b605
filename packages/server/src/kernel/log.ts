// Structured logs, one JSON object a line, from which secrets are removed before they are written.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Names of fields that never reach a log, wherever one or two levels deep they stand. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-secret-key',
  'x-access-token',
  'password',
  'secret',
  'secret_key',
  'token',
];

export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      serializers: { err: describeError },
    },
    destination,
  );
}

/** An error as the operator needs it: with its causes, without the parameters of a failed query. */
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
