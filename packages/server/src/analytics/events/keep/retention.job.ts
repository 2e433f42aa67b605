// Deletes expired data: events by whole days, ids after a week, counts and inactive devices after the configured time.
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { dropPartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { listGamesBehind } from '../files/files.sql.ts';
import { dayOfPartition, partitionOf } from '../partitions.ts';
import * as retention from './retention.sql.ts';

export const eventRetentionJob = defineJob(
  'events:retention',
  { attempts: 5, cron: '43 4 * * *', lane: 'long', deletesOld: true },
  dropOldEvents,
);

/** After this time, an event with the same id counts as a new event. */
const ID_DAYS = 7;
/** Expired events that are not in files yet are kept for this time, except those of games whose storage is full. */
const WAIT = 7 * DAY;
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
    const end = new Date(dayOfPartition(partition).getTime() + DAY);
    const behind = await listGamesBehind(ctx.db, end);
    if (behind.some((game) => !game.is_full) && end.getTime() > limit.getTime() - WAIT) {
      ctx.log.warn({ partition }, 'expired events are kept until they are in files');
      break;
    }
    await dropPartition(ctx.db, partition);
    ctx.log.info({ partition }, 'dropped expired events');
    if (behind.length > 0)
      ctx.log.error({ partition, games: behind.map(({ game_id }) => game_id) }, 'dropped events that are in no files');
  }
  // Batches are written to a partition, so this has none that files could miss.
  await retention.deleteFromDefaultPartition(ctx.db, limit);
}
