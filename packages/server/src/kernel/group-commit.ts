// Writes what many requests bring in one transaction: those that arrive while one is being written go into the next together.
import { ApiError } from '@chauffeur/contract/errors';

export type GroupCommitOptions<Item, Result> = {
  /** Writes the items, all or none, and answers for each in its place. What it throws counts for all of them. */
  write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items of one batch. */
  most: number;
  /** Batches that are written at once. */
  writers: number;
  /** Items that may wait; one more is turned away with 5030 and `retry_after`. */
  mostWaiting: number;
  /** Whether an error is about the items, so that each is tried again alone; else it holds for all of them. */
  isAboutItems: (error: unknown) => boolean;
};

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

const RETRY_AFTER_SECONDS = 2;

/**
 * The function that requests call: it resolves when their item is durable. There is no timer: an item that comes alone is written at
 * once, and under load a batch is as large as what arrived during the one before.
 */
export function groupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { most, writers, mostWaiting } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let writing = 0;

  async function writeOn(): Promise<void> {
    writing += 1;
    // The requests that this turn of the event loop brings are all there when it is over.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await writeBatch(waiting.splice(0, most), options);
    writing -= 1;
  }

  return (item) => {
    if (waiting.length >= mostWaiting) {
      const data = { retry_after: RETRY_AFTER_SECONDS };
      throw new ApiError(5030, 'More is arriving than can be written; try again in a few seconds.', { data });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (writing < writers) void writeOn();
    return promise;
  };
}

async function writeBatch<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  options: GroupCommitOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await options.write(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
  } catch (error) {
    if (batch.length > 1 && options.isAboutItems(error)) {
      // One bad item must not cost the others.
      for (const alone of batch) await writeBatch([alone], options);
    } else for (const { reject } of batch) reject(error);
  }
}
