// Another thread, which packs batches.
import type { Worker } from 'node:worker_threads';
import { startThread } from './start-thread.ts';
import type { PackedBatch } from './work.ts';

export type HelperTask = { readonly number: number; readonly start: number; readonly end: number };
export type HelperReply = { readonly number: number; readonly batch: PackedBatch | undefined };

/** A batch is given back without a result if the thread fails, or has ended, such as without memory. */
export class Helper {
  readonly #worker: Worker;
  readonly #take: (number: number, batch: PackedBatch | undefined) => void;
  readonly #assigned = new Set<number>();
  #isAlive = true;

  constructor(parts: object, take: (number: number, batch: PackedBatch | undefined) => void) {
    this.#take = take;
    this.#worker = startThread(parts);
    this.#worker.on('message', ({ number, batch }: HelperReply) => this.#finish(number, batch));
    this.#worker.on('messageerror', () => this.#fail());
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
  }

  /** How many batches the thread has; without end if it takes no more. */
  get assigned(): number {
    return this.#isAlive ? this.#assigned.size : Number.POSITIVE_INFINITY;
  }

  assign(number: number, { start, end }: { start: number; end: number }): void {
    this.#assigned.add(number);
    const task: HelperTask = { number, start, end };
    this.#worker.postMessage(task);
  }

  async end(): Promise<void> {
    this.#isAlive = false;
    this.#assigned.clear();
    await this.#worker.terminate();
  }

  #finish(number: number, batch: PackedBatch | undefined): void {
    if (this.#assigned.delete(number)) this.#take(number, batch);
  }

  #fail(): void {
    this.#isAlive = false;
    for (const number of this.#assigned) this.#finish(number, undefined);
  }
}
