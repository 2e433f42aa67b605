// Does the work of a conversion, in this thread or in several.
import { availableParallelism } from 'node:os';
import { DebugSymbolsError } from '../error.ts';
import { Helper } from './helper.ts';
import type { PackedBatch, Steps, Work } from './work.ts';

export type SpreadOptions = {
  /** How many threads may work, with this one; by default, one for each core, but at most 4. */
  readonly threads?: number;
  /** Called with the bytes of debug information that are done, and those in total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** The bytes of debug information from which on there are several threads, and those of a batch. Tests make both small. */
  readonly sharedFrom?: number;
  readonly batchBytes?: number;
};

/** A batch gets parts until it has this many bytes. */
const BATCH_BYTES = 1024 * 1024;
/** With less, the start of a thread takes longer than what it saves. */
const MIN_SHARED_BYTES = 4 * 1024 * 1024;
/** Each thread takes memory, and the first one adds the results of all. */
const MAX_THREADS = 4;
/** A large file has large parts, with which each thread needs more memory. */
const LARGE_BYTES = 256 * 1024 * 1024;
const MAX_THREADS_OF_LARGE = 3;
/** However many are asked for. */
const MAX_ASKED = 32;

type Batch = { readonly start: number; readonly end: number; readonly bytes: number };

/** Does all work in this thread. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    for (const { start, end } of batchesOf(step.value.sizes)) step.value.run(start, end);
  }
}

/** Spreads work over threads if there is enough of it. The result is the same. */
export async function spreadSteps<Result>(steps: Steps<Result>, options: SpreadOptions): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await spread(step.value, options);
  }
}

function defaultThreads(bytes: number): number {
  return Math.min(availableParallelism(), bytes > LARGE_BYTES ? MAX_THREADS_OF_LARGE : MAX_THREADS);
}

/** The batches don't depend on the number of threads, because each begins with nothing that was kept of others. */
function batchesOf(sizes: readonly number[], batchBytes = BATCH_BYTES): Batch[] {
  const batches: Batch[] = [];
  let [start, bytes] = [0, 0];
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (bytes < batchBytes && index + 1 < sizes.length) continue;
    batches.push({ start, end: index + 1, bytes });
    [start, bytes] = [index + 1, 0];
  }
  return batches;
}

async function spread(
  work: Work,
  { threads, onProgress, sharedFrom = MIN_SHARED_BYTES, batchBytes = BATCH_BYTES }: SpreadOptions,
): Promise<void> {
  const batches = batchesOf(work.sizes, batchBytes);
  const total = batches.reduce((sum, { bytes }) => sum + bytes, 0);
  const helperCount = Math.min(threads ?? defaultThreads(total), MAX_ASKED, batches.length) - 1;
  const parts = helperCount > 0 && total >= sharedFrom ? sharedParts(work) : undefined;
  let done = 0;
  const onBatch = ({ bytes }: Batch) => {
    done += bytes;
    onProgress?.(done, total);
  };
  if (parts === undefined) {
    for (const batch of batches) {
      work.run(batch.start, batch.end);
      onBatch(batch);
    }
    return;
  }
  const spreader = new Spreader(work, batches, onBatch);
  const helpers = Array.from({ length: helperCount }, () => new Helper(parts, spreader.take));
  try {
    await spreader.run(helpers);
  } finally {
    // Their files are closed afterwards.
    await Promise.all(helpers.map((helper) => helper.end()));
  }
}

/** Undefined if a part of the file is missing. One thread might never need it. */
export function sharedParts(work: Work): object | undefined {
  try {
    return work.share();
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

/** Batches that a helper has at a time, so that it never waits for this thread, which is often busy. */
const BATCHES_AHEAD = 2;
/** Bytes of debug information that are being read or wait to be added, as far as a batch for each thread is not more. */
const BYTES_AHEAD = 8 * 1024 * 1024;

class Spreader {
  readonly #work: Work;
  readonly #batches: readonly Batch[];
  readonly #onBatch: (batch: Batch) => void;
  /** Results by the number of the batch, until all before it are added. Undefined if a thread has failed. */
  readonly #results = new Map<number, PackedBatch | undefined>();
  #helpers: readonly Helper[] = [];
  /** The first batch that no thread has. */
  #next = 0;
  #added = 0;
  /** How many bytes the batches between the two have. */
  #bytesAhead = 0;
  #wake: () => void = () => {};

  constructor(work: Work, batches: readonly Batch[], onBatch: (batch: Batch) => void) {
    this.#work = work;
    this.#batches = batches;
    this.#onBatch = onBatch;
  }

  readonly take = (number: number, batch: PackedBatch | undefined): void => {
    this.#results.set(number, batch);
    this.#wake();
  };

  async run(helpers: readonly Helper[]): Promise<void> {
    this.#helpers = helpers;
    this.#assign();
    this.#work.meanwhile?.();
    while (this.#added < this.#batches.length) {
      this.#assign();
      if (this.#results.has(this.#added)) this.#add(this.#results.get(this.#added));
      else if (this.#canTake()) this.#packHere(this.#takeNext());
      else await this.#change();
      // Lets the results of other threads in.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves when a thread has finished a batch. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #assign(): void {
    for (let round = 1; round <= BATCHES_AHEAD; round += 1)
      for (const helper of this.#helpers)
        if (helper.assigned < round && this.#canTake()) {
          const number = this.#takeNext();
          helper.assign(number, this.#batches[number]!);
        }
  }

  #takeNext(): number {
    this.#bytesAhead += this.#batches[this.#next]!.bytes;
    this.#next += 1;
    return this.#next - 1;
  }

  #canTake(): boolean {
    const batch = this.#batches[this.#next];
    if (batch === undefined) return false;
    return this.#next - this.#added <= this.#helpers.length || this.#bytesAhead + batch.bytes <= BYTES_AHEAD;
  }

  /** After a failure, this thread does what it does without others: it comes to the same result, or to the same error. */
  #add(result: PackedBatch | undefined): void {
    const batch = this.#batches[this.#added]!;
    this.#results.delete(this.#added);
    if (result === undefined) this.#work.run(batch.start, batch.end);
    else this.#work.add(result);
    this.#added += 1;
    this.#bytesAhead -= batch.bytes;
    this.#onBatch(batch);
  }

  #packHere(number: number): void {
    const { start, end } = this.#batches[number]!;
    // All before it are added.
    if (number === this.#added) {
      this.#add(undefined);
      return;
    }
    try {
      this.#results.set(number, this.#work.pack(start, end));
    } catch {
      this.#results.set(number, undefined);
    }
  }
}
