// Lets go of what has been kept long enough: single events by whole days, ids after a week, counts and silent devices after a year or so.
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { dropPartition, listPartitions } from '../../../kernel/partitions.ts';
import { partitionOf } from './partitions.sql.ts';
import * as retention from './retention.sql.ts';

export const eventRetentionJob = defineJob<object>('events:retention', 5);

/** After that an event with the same id is a new one. */
const ID_DAYS = 7;
/** A transaction that is over in an instant. */
const AT_ONCE = 10_000;

export async function dropOldEvents(ctx: Context): Promise<void> {
  const { eventDays, eventCountDays } = ctx.config;
  const ago = (days: number) => new Date(ctx.clock.now().getTime() - days * DAY);
  if (eventDays > 0) await dropDays(ctx, ago(eventDays));
  while ((await retention.forgetIds(ctx.db, utcDayOf(ago(ID_DAYS)), AT_ONCE)) === AT_ONCE);
  if (eventCountDays === 0) return;
  const day = utcDayOf(ago(eventCountDays));
  for (const gameId of await retention.gamesWithEvents(ctx.db)) await retention.forgetCounts(ctx.db, gameId, day);
}

/** The day in which the limit lies is kept whole. */
async function dropDays(ctx: Context, limit: Date): Promise<void> {
  const kept = partitionOf(limit);
  for (const partition of await listPartitions(ctx.db, 'events')) {
    if (partition >= kept) break;
    await dropPartition(ctx.db, partition);
    ctx.log.info({ partition }, 'events dropped, as their time is over');
  }
  await retention.deleteUnsorted(ctx.db, limit);
}
