// Limits how many bytes a second arrive, over all connections together.
import { setTimeout as wait } from 'node:timers/promises';

export class Throttle {
  readonly #bytesPerSecond: number;
  /** When the bytes that were passed so far may have arrived, in milliseconds of `performance.now()`. */
  #paidUntil = 0;

  /** `Infinity` for no limit. */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits after `bytes` bytes have arrived. Rejects with the reason of `signal` if that is aborted. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === Number.POSITIVE_INFINITY) return;
    const now = performance.now();
    this.#paidUntil = Math.max(this.#paidUntil, now) + (1000 * bytes) / this.#bytesPerSecond;
    const ms = this.#paidUntil - now;
    if (ms > 1) await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
