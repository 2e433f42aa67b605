// Deletes expired data: events by whole days, ids after a week, counts and inactive devices after the configured time.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { dropPartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { deleteRowsBefore } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { listGamesBehind } from '../files/event-files.sql.ts';
import { dayOfPartition, eventPartitionOf } from './event-partitions.job.ts';

export const eventRetentionJob = defineJob(
  'events:retention',
  { attempts: 5, cron: '43 4 * * *', lane: 'long', deletesOld: true },
  dropOldEvents,
);

/** After this time, an event with the same id counts as a new event. */
const ID_DAYS = 7;
/** Expired events that are not in files yet are kept for this time, except those of games whose storage is full. */
const WAIT = 7 * DAY;
export async function dropOldEvents(ctx: Context): Promise<void> {
  const { eventDays, eventCountDays } = ctx.config;
  const daysAgo = (days: number) => new Date(ctx.clock.now().getTime() - days * DAY);
  if (eventDays > 0) await dropDays(ctx, daysAgo(eventDays));
  await deleteRowsBefore(ctx.db, { table: 'event_ids', day: 'day' }, utcDayOf(daysAgo(ID_DAYS)));
  if (eventCountDays === 0) return;
  const day = utcDayOf(daysAgo(eventCountDays));
  for (const gameId of await gamesWithEvents(ctx.db)) await forgetCounts(ctx.db, gameId, day);
}

/** Drops the days before that of the limit. */
async function dropDays(ctx: Context, limit: Date): Promise<void> {
  const firstKept = eventPartitionOf(limit).name;
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
  // Event files miss none of these, because batches are written to the partition of their day.
  await deleteFromDefaultPartition(ctx.db, limit);
}

/** Deletes events from before `limit` that arrived before their day had a partition. */
async function deleteFromDefaultPartition(db: Db, limit: Date): Promise<void> {
  await changed(db, sql`delete from events_default where received_at < ${limit}`);
}

async function gamesWithEvents(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from event_hours`);
  return games.map(({ game_id }) => game_id);
}

/** Deletes a game's counts from before the day, devices last seen before it, and names that have no counts left. */
async function forgetCounts(db: Db, gameId: string, day: string): Promise<void> {
  const before = sql`${day}::date`;
  await changed(db, sql`delete from event_device_days where game_id = ${gameId} and day < ${before}`);
  await changed(db, sql`delete from event_devices where game_id = ${gameId} and last_day < ${before}`);
  await changed(db, sql`delete from event_times where game_id = ${gameId} and day < ${before}`);
  await changed(
    db,
    sql`delete from event_hours where game_id = ${gameId} and hour < ${before}::timestamp at time zone 'utc'`,
  );
  await changed(
    db,
    sql`delete from event_names where game_id = ${gameId} and first_seen < ${before}::timestamp at time zone 'utc'
      and not exists (select from event_hours where event_hours.game_id = ${gameId} and event_hours.name = event_names.name)`,
  );
}
