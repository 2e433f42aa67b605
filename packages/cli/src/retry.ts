// Decides which failures pass by themselves and how long to wait for them, and waits.
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import { GaveUpError } from './failures.ts';

/** How waiting is done; replaced in tests, so that they take no time. */
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
const LONGEST_DELAY_MS = 30_000;
/** A limit that lifts later than this is told, not waited for: a build machine is paid by the minute. */
const LONGEST_RETRY_AFTER_S = 600;

/** Whether the same request may succeed later: no answer, a busy session, a limit, a failing server, a chunk out of place. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  if (!(error instanceof ApiError)) return false;
  return error.code === 4047 || error.status === 429 || error.status >= 500 || currentSizeOf(error) !== null;
}

/** Where the server says that the upload session stands (bytes), or null. */
export function currentSizeOf(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== 4044) return null;
  const size = error.data?.current_size;
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null;
}

/** Milliseconds to wait after the nth failure in a row (from 1): doubling, half of it by chance so that clients spread. */
export function delayOf(failures: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + random / 2));
}

export type PatienceOptions = {
  waiting: Waiting;
  signal: AbortSignal;
  /** Told before each wait. */
  note: (line: string) => void;
  /** Failures in a row before giving up. */
  tries: number;
};

/** Counts failures in a row, and waits longer after each. */
export class Patience {
  readonly #options: PatienceOptions;
  #failures = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** To be called when something went forward: counting starts again. */
  progressed(): void {
    this.#failures = 0;
  }

  /**
   * Waits until a try after `error` makes sense. Rethrows an error that will not pass or asks for a long wait;
   * rejects with GaveUpError after the last try.
   */
  async endure(error: unknown): Promise<void> {
    const { waiting, signal, note, tries } = this.#options;
    const retryAfter = retryAfterOf(error);
    if (!isPassing(error) || retryAfter > LONGEST_RETRY_AFTER_S) throw error;
    this.#failures += 1;
    const { message } = error as Error;
    if (this.#failures >= tries) throw new GaveUpError(`Gave up after ${tries} tries: ${message}`, { cause: error });
    const delay = Math.max(delayOf(this.#failures, waiting.random()), retryAfter * 1000);
    const next = `trying again (${this.#failures + 1} of ${tries}) in ${(delay / 1000).toFixed(1)} s`;
    note(`${message.replace(/\.$/, '')}; ${next}.`);
    await waiting.pause(delay, signal);
  }
}

/** Runs `attempt` until it succeeds or patience ends; `attempt` must be safe to repeat. */
export async function persist<T>(options: PatienceOptions, attempt: () => Promise<T>): Promise<T> {
  const patience = new Patience(options);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      await patience.endure(error);
    }
  }
}

function retryAfterOf(error: unknown): number {
  const seconds = error instanceof ApiError ? error.data?.retry_after : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}
