// Decides which failures to retry and how long to wait before each attempt.
import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAnswerError, isTransient } from '@chauffeur/contract/client';
import { ApiError, isError } from '@chauffeur/contract/errors';
import { GaveUpError } from './failures.ts';

/** Replaced in tests, which do not wait. */
export type Waiting = {
  /** Resolves after `ms` milliseconds; rejects with the reason of `signal` when that is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 ≤ r < 1. */
  random: () => number;
};

export const REAL_WAITING: Waiting = {
  pause: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  },
  random: Math.random,
};

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A limit that resets later than this is reported at once, because CI minutes cost money. */
const MAX_RETRY_AFTER_S = 600;

/** Whether an upload may succeed if it is tried again: a transient failure, any failure of the server, or a chunk to send again. */
export function isRetryable(error: unknown): boolean {
  if (isTransient(error) || readCurrentSize(error) !== null) return true;
  return isError(error, 'chunkUnderWay') || (error instanceof ApiError && error.status >= 500);
}

/** The size of the upload session in bytes as reported by the server, or null. */
export function readCurrentSize(error: unknown): number | null {
  if (!isError(error, 'invalidChunk')) return null;
  const size = error.data?.current_size;
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null;
}

/** Milliseconds to wait after the nth failure in a row (from 1): doubled each time, and half of it random to spread clients. */
export function delayOf(failures: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
  return Math.round(longest * (0.5 + random / 2));
}

export type RetryOptions = {
  waiting: Waiting;
  signal: AbortSignal;
  /** Called with a message before each wait. */
  note: (line: string) => void;
  /** Attempts before giving up. */
  tries: number;
};

/** Counts failures in a row, and waits longer after each. */
export class Retries {
  readonly #options: RetryOptions;
  #failures = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Resets the number of failures after progress. */
  reset(): void {
    this.#failures = 0;
  }

  /**
   * Waits before the next attempt. Rethrows an error that is not retryable or asks for a long wait; rejects with GaveUpError
   * after the last attempt.
   */
  async waitAfter(error: unknown): Promise<void> {
    const { waiting, signal, note, tries } = this.#options;
    const retryAfter = retryAfterOf(error);
    if (!isRetryable(error) || retryAfter > MAX_RETRY_AFTER_S) throw error;
    this.#failures += 1;
    const { message } = error as Error;
    if (this.#failures >= tries) throw new GaveUpError(tries, error as Error);
    const delay = Math.max(delayOf(this.#failures, waiting.random()), retryAfter * 1000);
    const next = `retrying in ${(delay / 1000).toFixed(1)} s (attempt ${this.#failures + 1} of ${tries})`;
    note(`${message.replace(/\.$/, '')}; ${next}.`);
    await waiting.pause(delay, signal);
  }
}

/** Runs `attempt` until it succeeds or the retry policy gives up; `attempt` must be safe to repeat. */
export async function retry<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const retries = new Retries(options);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      await retries.waitAfter(error);
    }
  }
}

function retryAfterOf(error: unknown): number {
  if (error instanceof ForeignAnswerError) return Math.max(0, error.retryAfter ?? 0);
  const seconds = error instanceof ApiError ? error.data?.retry_after : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}
