// Group commit: writes the items of many requests in one transaction, because a commit costs as much for a thousand
// rows as for one.
//
// An item is in one of three states:
//
// - Queued: it waits for a writer. The queue has a maximum weight; once it is full, items are refused at once with
//   `unavailable`, so that requests don't wait longer than their clients do.
// - In a batch: a writer has taken it, with others that have the same key, in the order in which they came, up to the
//   weight of a batch. Items with different keys are never in one batch, which would otherwise be a
//   transaction over several servers if the database is distributed.
// - Settled: its request gets its result when the batch is committed, or an error.
//
// There is no timer. A writer that is idle starts at once, at the end of the current turn of the event loop, so a
// single item is not delayed; while it writes, the next batch gathers. Batches therefore grow with the load. Each
// writer has a number, and writes one batch at a time, so a caller can use the number to keep batches from locking the
// same rows.
//
// If a batch fails because of a value in it, its items are written again one by one, and only the item with that value
// fails. After any other error, such as a database that is away, all of them fail, and none was written. Nothing is
// retried: clients do that, with the same ids.
import { errors } from '@chauffeur/contract/errors';
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
  /** Batches with the same key written at the same time; any number by default. */
  writersPerKey?: number;
  /** Total weight of the queue. When it is full, items are refused with `unavailable` and `retry_after`. */
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
  key: string;
  weight: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

const RETRY_AFTER_SECONDS = 2;

/**
 * Returns the function that adds an item and resolves when the item is durable. There is no timer: a single item is
 * written at once, and under load a batch contains what arrived during the previous write. Items with different keys
 * are written in different batches.
 */
export function groupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): (item: Item, key?: string) => Promise<Result> {
  const { maxBatch, writers, writersPerKey = writers, maxWaiting, weigh = () => 1, onQueue, onRefused } = options;
  let queue: Waiting<Item, Result>[] = [];
  const idleWriters = Array.from({ length: writers }, (_, no) => no).reverse();
  /** How many batches with a key are being written. */
  const writing = new Map<string, number>();
  let queuedWeight = 0;

  async function writeQueue(writer: number): Promise<void> {
    // Waits for the other requests of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const next = queue.find(({ key }) => (writing.get(key) ?? 0) < writersPerKey);
      if (next === undefined) break;
      const { batch, rest, weight } = takeBatch(queue, next.key, maxBatch);
      queue = rest;
      queuedWeight -= weight;
      onQueue?.(queuedWeight);
      const count = (change: 1 | -1) => writing.set(next.key, (writing.get(next.key) ?? 0) + change);
      count(1);
      await writeBatch(batch, writer, options);
      if (count(-1).get(next.key) === 0) writing.delete(next.key);
    }
    idleWriters.push(writer);
  }

  return (item, key = '') => {
    if (queuedWeight >= maxWaiting) {
      onRefused?.();
      const data = { retry_after: RETRY_AFTER_SECONDS };
      throw errors.unavailable('The server is overloaded. Try again in a few seconds.', { data });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const weight = weigh(item);
    queue.push({ item, key, weight, resolve, reject });
    queuedWeight += weight;
    onQueue?.(queuedWeight);
    const writer = idleWriters.pop();
    // A batch belongs to many requests, so it is not part of the trace of this one.
    if (writer !== undefined) void runDetached(() => writeQueue(writer));
    return promise;
  };
}

type Batch<Queued> = { batch: Queued[]; rest: Queued[]; weight: number };

/** Takes the first item with the key, and as many others with it as fit, in their order. */
function takeBatch<Queued extends { key: string; weight: number }>(
  queue: readonly Queued[],
  wanted: string,
  maxBatch: number,
): Batch<Queued> {
  const [batch, rest] = [[] as Queued[], [] as Queued[]];
  let weight = 0;
  let isFull = false;
  for (const queued of queue) {
    const hasKey = queued.key === wanted;
    if (hasKey && batch.length > 0 && weight + queued.weight > maxBatch) isFull = true;
    if (isFull || !hasKey) rest.push(queued);
    else {
      batch.push(queued);
      weight += queued.weight;
    }
  }
  return { batch, rest, weight };
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
