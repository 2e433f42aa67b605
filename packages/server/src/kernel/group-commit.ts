// Writes what many requests bring in one transaction: those that arrive while one is being written go into the next together.
import { ApiError } from '@chauffeur/contract/errors';

export type GroupCommitOptions<Item, Result> = {
  /**
   * Writes the items, all or none, and answers for each in its place. What it throws counts for all of them. No two batches are written
   * at once under the same number of a writer, from 0.
   */
  write: (items: readonly Item[], writer: number) => Promise<readonly Result[]>;
  /** Items of one batch; by `weigh`, their weight together. One that weighs more goes alone. */
  most: number;
  /** Batches that are written at once. */
  writers: number;
  /** Items that may wait, by `weigh` their weight; when as much waits, another is turned away with 5030 and `retry_after`. */
  mostWaiting: number;
  /** How much of a batch an item takes; 1 where absent. */
  weigh?: (item: Item) => number;
  /** Whether an error is about the items, so that each is tried again alone; else it holds for all of them. */
  isAboutItems: (error: unknown) => boolean;
};

type Waiting<Item, Result> = {
  item: Item;
  weight: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

const RETRY_AFTER_SECONDS = 2;

/**
 * The function that requests call: it resolves when their item is durable. There is no timer: an item that comes alone is written at
 * once, and under load a batch is as large as what arrived during the one before.
 */
export function groupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { most, writers, mostWaiting, weigh = () => 1 } = options;
  const waiting: Waiting<Item, Result>[] = [];
  const idle = Array.from({ length: writers }, (_, no) => no).reverse();
  let weightWaiting = 0;

  async function writeOn(writer: number): Promise<void> {
    // The requests that this turn of the event loop brings are all there when it is over.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const { count, weight } = measureBatch(waiting, most);
      weightWaiting -= weight;
      await writeBatch(waiting.splice(0, count), writer, options);
    }
    idle.push(writer);
  }

  return (item) => {
    if (weightWaiting >= mostWaiting) {
      const data = { retry_after: RETRY_AFTER_SECONDS };
      throw new ApiError(5030, 'More is arriving than can be written; try again in a few seconds.', { data });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const weight = weigh(item);
    waiting.push({ item, weight, resolve, reject });
    weightWaiting += weight;
    const writer = idle.pop();
    if (writer !== undefined) void writeOn(writer);
    return promise;
  };
}

/** How many of those that wait make the next batch: as many as fit, and one at least. */
function measureBatch(waiting: readonly { weight: number }[], most: number): { count: number; weight: number } {
  let [count, weight] = [1, waiting[0]!.weight];
  while (count < waiting.length && weight + waiting[count]!.weight <= most) {
    weight += waiting[count]!.weight;
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
    batch.forEach(({ resolve }, index) => {
      resolve(results[index]!);
    });
  } catch (error) {
    if (batch.length > 1 && options.isAboutItems(error)) {
      // One bad item must not cost the others.
      for (const alone of batch) await writeBatch([alone], writer, options);
    } else for (const { reject } of batch) reject(error);
  }
}
