// Writes the items of many requests in one transaction: items that arrive during a write form the next batch.
import { ApiError } from '@chauffeur/contract/errors';
import { runDetached } from '../telemetry/tracing.ts';

export type GroupCommitOptions<Item, Result> = {
  /**
   * Writes a batch, all items or none, and returns for each item its result or the error that refuses it. If it throws,
   * no item was written. No two batches are written at the same time with the same `writer`, a number from 0.
   */
  write: (items: readonly Item[], writer: number) => Promise<readonly (Result | Error)[]>;
  /** Total weight of a batch. A heavier item is written alone. */
  maxBatch: number;
  /** Batches written at the same time. */
  writers: number;
  /** Total weight of the queue. When it is full, items are refused with 5030 and `retry_after`. */
  maxWaiting: number;
  /** The weight of an item; 1 if absent. */
  weigh?: (item: Item) => number;
  /**
   * Whether an error of `write` is caused by an item. If so, the items are written one by one; otherwise all of them
   * fail.
   */
  isItemError: (error: unknown) => boolean;
  /** Called after each change of the queue with its total weight. */
  onQueue?: (weight: number) => void;
  /** Called for each refused item. */
  onRefused?: () => void;
};

type Waiting<Item, Result> = {
  item: Item;
  weight: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

const RETRY_AFTER_SECONDS = 2;

/**
 * Returns the function that adds an item and resolves when the item is durable. There is no timer: a single item is
 * written at once, and under load a batch contains what arrived during the previous write.
 */
export function groupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { maxBatch, writers, maxWaiting, weigh = () => 1, onQueue, onRefused } = options;
  const queue: Waiting<Item, Result>[] = [];
  const idleWriters = Array.from({ length: writers }, (_, no) => no).reverse();
  let queuedWeight = 0;

  async function writeQueue(writer: number): Promise<void> {
    // Waits for the other requests of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const { count, weight } = measureBatch(queue, maxBatch);
      queuedWeight -= weight;
      onQueue?.(queuedWeight);
      await writeBatch(queue.splice(0, count), writer, options);
    }
    idleWriters.push(writer);
  }

  return (item) => {
    if (queuedWeight >= maxWaiting) {
      onRefused?.();
      const data = { retry_after: RETRY_AFTER_SECONDS };
      throw new ApiError(5030, 'The server is overloaded. Try again in a few seconds.', { data });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const weight = weigh(item);
    queue.push({ item, weight, resolve, reject });
    queuedWeight += weight;
    onQueue?.(queuedWeight);
    const writer = idleWriters.pop();
    // A batch belongs to many requests, so it is not part of the trace of this one.
    if (writer !== undefined) void runDetached(() => writeQueue(writer));
    return promise;
  };
}

/** How many queued items make the next batch: as many as fit, but at least one. */
function measureBatch(queue: readonly { weight: number }[], maxBatch: number): { count: number; weight: number } {
  let [count, weight] = [1, queue[0]!.weight];
  while (count < queue.length && weight + queue[count]!.weight <= maxBatch) {
    weight += queue[count]!.weight;
    count += 1;
  }
  return { count, weight };
}

async function writeBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  writer: number,
  options: GroupCommitOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await options.write(
      batch.map(({ item }) => item),
      writer,
    );
    batch.forEach(({ resolve, reject }, index) => {
      const result = results[index]!;
      if (result instanceof Error) reject(result);
      else resolve(result);
    });
  } catch (error) {
    if (batch.length > 1 && options.isItemError(error)) {
      for (const single of batch) await writeBatch([single], writer, options);
    } else for (const { reject } of batch) reject(error);
  }
}
