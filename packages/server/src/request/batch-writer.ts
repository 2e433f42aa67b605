// Batched ingest: each server process collects what its clients send at the same time and writes it in one transaction.
import type { Context } from '../context.ts';
import { secondsSince } from '../kernel/clock.ts';
import { isDataError } from '../kernel/database/db.ts';
import { type GroupCommitOptions, groupCommit } from '../kernel/database/group-commit.ts';
import { ensurePartition, type Partition } from '../kernel/database/partitions.ts';
import type { BatchQueue } from '../kernel/telemetry/metric-table.ts';
import { inSpan } from '../kernel/telemetry/tracing.ts';
import { perContext } from './per-context.ts';

/**
 * `now` is the time of the write. No two batches of a process are written at the same time with the same `writer`, a
 * number from 0.
 */
export type BatchTurn = { readonly now: Date; readonly writer: number };

export type BatchWriterOptions<Item, Result> = Pick<
  GroupCommitOptions<Item, Result>,
  'maxBatch' | 'writers' | 'writersPerKey' | 'maxWaiting' | 'weigh'
> & {
  /** Its label in the metrics. */
  readonly queue: BatchQueue;
  /**
   * Writes a batch, all items or none, and returns for each item its result or the error that refuses it. After an
   * error that a value caused, the items are written one by one, so only the item with that value fails.
   */
  readonly write: (ctx: Context, items: readonly Item[], turn: BatchTurn) => Promise<readonly (Result | Error)[]>;
  /**
   * The partition that the rows of a time go to. A job creates partitions ahead; on a new server, items may arrive
   * before it runs.
   */
  readonly partitionOf?: (time: Date) => Partition;
  /** Items with different keys are written in different batches. */
  readonly keyOf?: (ctx: Context, item: Item) => Promise<string>;
};

/**
 * Returns the function that writes an item of a request durably, in a batch with the items of other requests. Throws
 * `unavailable` if too many are waiting.
 */
export function batchWriter<Item, Result>({
  queue,
  write,
  partitionOf,
  keyOf,
  ...options
}: BatchWriterOptions<Item, Result>): (ctx: Context, item: Item) => Promise<Result> {
  const queueOf = perContext((ctx) => {
    const existing = new Set<string>();
    const ensure = async (partition: Partition) => {
      if (!existing.has(partition.name)) await ensurePartition(ctx.db, partition);
      existing.add(partition.name);
    };
    const { batchWrites, batchRequests, batchWaiting, batchCapacity, batchRefusals } = ctx.metrics;
    batchCapacity.set({ queue }, options.maxWaiting);
    return groupCommit<Item, Result>({
      ...options,
      isItemError: isDataError,
      onQueue: (weight) => batchWaiting.set({ queue }, weight),
      onRefused: () => batchRefusals.inc({ queue }),
      async write(items, writer) {
        const begun = performance.now();
        let outcome: 'written' | 'failed' = 'failed';
        try {
          const now = ctx.clock.now();
          if (partitionOf !== undefined) await ensure(partitionOf(now));
          const results = await write(ctx, items, { now, writer });
          batchRequests.inc({ queue }, items.length);
          outcome = 'written';
          return results;
        } finally {
          batchWrites.observe({ queue, outcome }, secondsSince(begun));
        }
      },
    });
  });
  return (ctx, item) =>
    inSpan('write batch', { attributes: { 'chauffeur.queue': queue } }, async () =>
      queueOf(ctx)(item, await keyOf?.(ctx, item)),
    );
}
