// The ways a command can fail, with their exit codes and remedies.

/** A problem with flags, files or settings, found before anything was sent. Exit code 1. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
  /** What to do about it, as one sentence. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** Too many failed attempts in a row; `cause` is the last failure. Exit code 3. */
export class GaveUpError extends Error {
  override readonly name = 'GaveUpError';
  readonly tries: number;

  constructor(tries: number, cause: Error) {
    super(`Gave up after ${tries} attempts: ${cause.message}`, { cause });
    this.tries = tries;
  }
}

/**
 * The upload succeeded, but players cannot download the file: the scan rejected it (exit code 2) or did not finish in time (3).
 * `data` is printed with the error.
 */
export class ScanError extends Error {
  override readonly name = 'ScanError';
  readonly outcome: 'rejected' | 'pending';
  readonly data: Readonly<Record<string, unknown>>;

  constructor(message: string, outcome: 'rejected' | 'pending', data: Readonly<Record<string, unknown>>) {
    super(message);
    this.outcome = outcome;
    this.data = data;
  }
}

/** Ctrl-C (exit code 130) or SIGTERM (143). */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Interrupted.');
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}
