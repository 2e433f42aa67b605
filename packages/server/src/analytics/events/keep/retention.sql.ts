// The SQL that deletes expired events, ids and counts.
import { sql } from 'kysely';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { rowsOfAllGames, sumOf } from '../../../kernel/database/shards.ts';

/** Deletes events from before `limit` that arrived before their day had a partition. */
export async function deleteFromDefaultPartition(db: Db, limit: Date): Promise<void> {
  await changed(db, sql`delete from events_default where received_at < ${limit}`);
}

/** Deletes ids from before the day and returns how many it deleted: fewer than `limit` only if no others are left. */
export async function forgetIds(db: Db, day: string, limit: number): Promise<number> {
  const deleted = await rowsOfAllGames(
    db,
    sql<{ count: number }>`with old as materialized (
        select ctid from event_ids where day < ${day}::date limit ${limit}::integer for update skip locked
      ), deleted as (
        delete from event_ids using old where event_ids.ctid = old.ctid returning 1
      ) select count(*)::integer as count from deleted`,
  );
  return sumOf(deleted);
}

export async function gamesWithEvents(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from event_hours`);
  return games.map(({ game_id }) => game_id);
}

/** Deletes a game's counts from before the day, devices last seen before it, and names that have no counts left. */
export async function forgetCounts(db: Db, gameId: string, day: string): Promise<void> {
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
