// Counts what happens in requests by UTC day, without making them wait for the database.
import type { Context } from '../context.ts';
import { utcDayOf } from '../kernel/clock.ts';
import type { Db } from '../kernel/database/db.ts';
import type { BatchQueue } from '../kernel/telemetry/metric-table.ts';
import { batchWriter } from './batch-writer.ts';

/** How often the same item was in a batch. */
export type Counted<Item> = Item & { readonly count: number };

/**
 * Returns the function that counts an item in a batch with those of other requests. `add` gets each item of a batch
 * once. Items are the same if all their fields are.
 */
export function dailyCounter<Item extends object>(
  queue: BatchQueue,
  add: (db: Db, day: string, items: readonly Counted<Item>[]) => Promise<void>,
): (ctx: Context, item: Item) => Promise<null> {
  return batchWriter<Item, null>({
    queue,
    maxBatch: 1000,
    // Two batches could wait for each other's rows.
    writers: 1,
    maxWaiting: 10_000,
    weigh: () => 1,
    async write({ db }, items, { now }) {
      const groups = Map.groupBy(items, (item) => JSON.stringify(item));
      await add(
        db,
        utcDayOf(now),
        [...groups.values()].map((same) => ({ ...same[0]!, count: same.length })),
      );
      return items.map(() => null);
    },
  });
}
