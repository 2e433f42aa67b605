// Deletes expired data: events by whole days, ids after a week, counts and inactive devices after the configured time.
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { dropPartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { partitionOf } from '../partitions.ts';
import * as retention from './retention.sql.ts';

export const eventRetentionJob = defineJob<object>('events:retention', 5);

/** After this time, an event with the same id counts as a new event. */
const ID_DAYS = 7;
/** Small enough for a short transaction. */
const BATCH = 10_000;

export async function dropOldEvents(ctx: Context): Promise<void> {
  const { eventDays, eventCountDays } = ctx.config;
  const daysAgo = (days: number) => new Date(ctx.clock.now().getTime() - days * DAY);
  if (eventDays > 0) await dropDays(ctx, daysAgo(eventDays));
  while ((await retention.forgetIds(ctx.db, utcDayOf(daysAgo(ID_DAYS)), BATCH)) >= BATCH);
  if (eventCountDays === 0) return;
  const day = utcDayOf(daysAgo(eventCountDays));
  for (const gameId of await retention.gamesWithEvents(ctx.db)) await retention.forgetCounts(ctx.db, gameId, day);
}

/** The day of the limit is kept as a whole. */
async function dropDays(ctx: Context, limit: Date): Promise<void> {
  const firstKept = partitionOf(limit).name;
  for (const partition of await listPartitions(ctx.db, 'events')) {
    if (partition >= firstKept) break;
    await dropPartition(ctx.db, partition);
    ctx.log.info({ partition }, 'dropped expired events');
  }
  await retention.deleteFromDefaultPartition(ctx.db, limit);
}
