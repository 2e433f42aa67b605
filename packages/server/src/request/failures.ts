// Maps a thrown value to the error that a caller sees, a code of the registry and a message, never a stack or a secret;
// and logs failures: unexpected ones one by one, and those of an outage as counts, because there may be thousands a
// minute.
import { ApiError, CODES, errors } from '@chauffeur/contract/errors';
import type { Context } from '../context.ts';
import { S3Error } from '../kernel/blobs/failures.ts';
import { SECOND } from '../kernel/clock.ts';
import { isConflict, isDatabaseAway, isMissingReference } from '../kernel/database/db.ts';
import { isStorageFull } from '../kernel/storage-full.ts';
import type { Log } from '../kernel/telemetry/log.ts';
import { perContext } from './per-context.ts';

const DELETED_MEANWHILE = 'Something that this request refers to was deleted at the same time.';

/** Returns null for an error that has no code. */
export function asKnownError(thrown: unknown): ApiError | null {
  if (isFailure(thrown) && isStorageFull(thrown)) return errors.storageFull(undefined, { cause: thrown });
  if (thrown instanceof ApiError) return thrown;
  if (isMissingReference(thrown)) return errors.notFound(DELETED_MEANWHILE, { cause: thrown });
  // Writes that conflict are repeated. What fails in spite of it, such as during an update, succeeds later.
  const isTemporary = isDatabaseAway(thrown) || isConflict(thrown) || thrown instanceof S3Error;
  return isTemporary ? errors.unavailable(undefined, { cause: thrown }) : null;
}

/** The error for an unexpected failure. */
export function asUnexpected(thrown: unknown): ApiError {
  return errors.unexpected(undefined, { cause: thrown });
}

/** Client errors are the caller's to fix, even if a full disk is among their causes. */
function isFailure(thrown: unknown): boolean {
  return !(thrown instanceof ApiError) || thrown.status >= 500;
}

type Level = 'warn' | 'error';

/** Failures of one kind since the last line about them. */
type Outage = {
  readonly level: Level;
  readonly line: object;
  readonly message: string;
  count: number;
  quiet: number;
};

/** After so many seconds without a failure of its kind, the next one is logged with its stack again. */
const QUIET_SECONDS = 60;
const UNEXPECTED = CODES.unexpected;

const outagesOf = perContext(() => new Map<string, Outage>());

type Failure = { readonly thrown: unknown; readonly code: ApiError['code']; operation?: string; tool?: string };

/** Logs the failure of a request that the service is responsible for. `log` is that of the request. */
export function logFailure(ctx: Context, log: Pick<Log, Level>, failure: Failure, message: string): void {
  const { thrown: err, ...where } = failure;
  if (where.code === UNEXPECTED) log.error({ err, ...where }, message);
  else logRepeated(ctx, log, 'error', { err, ...where }, message);
}

/**
 * Logs the first error of its kind with its stack, and counts the others in one line a second. `where` has few values.
 */
export function logRepeated(
  ctx: Context,
  log: Pick<Log, Level>,
  level: Level,
  { err, ...where }: { readonly err: unknown; readonly [field: string]: unknown },
  message: string,
): void {
  const outages = outagesOf(ctx);
  const error = nameOf(err);
  const kind = [message, ...Object.values(where), error].join(' ');
  const outage = outages.get(kind);
  if (outage !== undefined) {
    outage.count += 1;
    return;
  }
  log[level]({ err, ...where }, message);
  outages.set(kind, { level, line: { error, ...where }, message, count: 0, quiet: 0 });
  if (outages.size === 1) startCounting(ctx, outages);
}

function startCounting({ log }: Context, outages: Map<string, Outage>): void {
  const timer = setInterval(() => {
    for (const [kind, outage] of outages) {
      const { level, line, message, count } = outage;
      if (count > 0) log[level]({ ...line, count }, message);
      outage.quiet = count > 0 ? 0 : outage.quiet + 1;
      outage.count = 0;
      if (outage.quiet >= QUIET_SECONDS) outages.delete(kind);
    }
    if (outages.size === 0) clearInterval(timer);
  }, SECOND);
  timer.unref();
}

/** The code or the name of the error that caused the others, of which there are few: messages may contain ids. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  if (thrown.cause !== undefined) return nameOf(thrown.cause);
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? code : thrown.name;
}
