// How long to wait between attempts to reach a server, and when to give up.
import { setTimeout as wait } from 'node:timers/promises';

const FIRST_MS = 500;
const MAX_MS = 30_000;
/** A server that asks for a longer pause than this isn't waited for. */
const MAX_ASKED_MS = 300_000;

/** Something failed that may succeed later. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** How long the server asked to wait. */
  readonly afterMs: number;

  constructor(message: string, { afterMs = 0, ...options }: ErrorOptions & { afterMs?: number } = {}) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

export type RetryPolicy = {
  /** Failures in a row, without any progress, after which to give up. */
  readonly failures: number;
  /** Multiplies all pauses; tests wait less. */
  readonly pace: number;
};

export const PATIENT: RetryPolicy = { failures: 9, pace: 1 };
/** The policy for short questions, because a mistyped address must be reported soon. */
export const BRIEF: RetryPolicy = { failures: 3, pace: 1 };

/** Counts failures in a row. */
export class Retries {
  readonly #policy: RetryPolicy;
  #failures = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** After progress, the count starts again. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits before the next attempt. Throws `error` if it isn't transient, or after too many failures. */
  async waitAfter(error: unknown, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#failures += 1;
    if (!(error instanceof TransientError) || error.afterMs > MAX_ASKED_MS) throw error;
    if (this.#failures >= this.#policy.failures) throw error;
    const longest = Math.min(FIRST_MS * 2 ** (this.#failures - 1), MAX_MS);
    const ms = Math.max(error.afterMs, longest * (0.5 + Math.random() / 2)) * this.#policy.pace;
    await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
