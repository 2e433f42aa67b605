// The SQL of a game's usage: the bytes of its builds, symbols, event files and videos, and the counters of its crash
// reports.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows, type Tx } from '../../kernel/database/db.ts';

export type StorageRow = {
  builds: number;
  sessions: number;
  symbols: number;
  event_files: number;
  videos: number;
  patches: number;
};

/** Serializes transactions that use storage of the same game. */
export async function lockStorage(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`storage/${gameId}`}, 0))`);
}

/**
 * The bytes that a game stores. Excludes rejected files and videos, whose blobs are deleted, and unused symbol texts,
 * which are about to be deleted.
 */
export function readStorage(db: Db, gameId: string): Promise<StorageRow> {
  return onlyRow(
    db,
    sql<StorageRow>`select
      (select coalesce(sum(size), 0) from files
        where game_id = ${gameId} and scan_state not in ('infected', 'error'))::bigint as builds,
      (select coalesce(sum(total_size), 0) from upload_sessions
        where game_id = ${gameId} and finished_at is null)::bigint as sessions,
      ((select coalesce(sum(stored_size + coalesce(cache_size, 0)), 0) from symbol_texts
        where game_id = ${gameId} and exists (select from symbols
          where symbols.game_id = symbol_texts.game_id and symbols.checksum = symbol_texts.checksum))
        + (select coalesce(sum(size), 0) from native_symbols
          where game_id = ${gameId} and blob_key is not null)
        + (select coalesce(sum(stored_size), 0) from (
            select distinct blob_key, stored_size from mappings where game_id = ${gameId} and blob_key is not null
          ) as stored_mappings))::bigint as symbols,
      (select coalesce(sum(size), 0) from event_files where game_id = ${gameId})::bigint as event_files,
      (select coalesce(sum(size), 0) from videos
        where game_id = ${gameId} and scan_state not in ('infected', 'error'))::bigint as videos,
      (select coalesce(sum(coalesce(difference_size, 0) + coalesce(pack_size, 0)), 0) from file_differences
        where game_id = ${gameId})::bigint as patches`,
  );
}

/** Gives up patches, the oldest versions first, until `bytes` are free. The sweep removes their blobs. */
export async function dropPatches(tx: Tx, gameId: string, bytes: number): Promise<void> {
  await changed(
    tx,
    sql`update file_differences set state = 'none', reason = 'no_room', difference_key = null, difference_size = null,
        difference_sha256 = null, blocks_size = null, pack_key = null, pack_size = null, pack_sha256 = null
      where game_id = ${gameId} and (file_id, from_file_id) in (
        select file_id, from_file_id from (
          select file_id, from_file_id, coalesce(sum(stored) over (
            order by unwanted_since nulls last, rank desc, file_id, from_file_id
            rows between unbounded preceding and 1 preceding), 0) as before
          from (select *, coalesce(difference_size, 0) + coalesce(pack_size, 0) as stored from file_differences
            where game_id = ${gameId}) as sized where stored > 0
        ) as ordered where before < ${bytes}::bigint)`,
  );
}

export type CrashCounters = { reports: number; files: number; bytes: number };

/** The usage of the game's crash reports on the day that starts at `day`. */
export async function readCrashCounters(db: Db, gameId: string, day: Date): Promise<CrashCounters> {
  const counters = await rows(
    db,
    sql<{ name: string; used: number }>`select name, used from rate_counters
      where subject = ${gameId} and window_start = ${day} and name in ('crashes', 'crash uploads', 'crash bytes')`,
  );
  const used = new Map(counters.map((counter) => [counter.name, counter.used]));
  return {
    reports: used.get('crashes') ?? 0,
    files: used.get('crash uploads') ?? 0,
    bytes: used.get('crash bytes') ?? 0,
  };
}

export type CounterRow = { game_id: string; name: 'crashes' | 'crash bytes'; used: number };

/** The counters of all games on the day that starts at `day`. */
export function listCrashCounters(db: Db, day: Date): Promise<CounterRow[]> {
  return rows(
    db,
    sql<CounterRow>`select game_id, rate_counters.name, used from rate_counters join games on game_id::text = subject
      where window_start = ${day} and rate_counters.name in ('crashes', 'crash bytes')`,
  );
}

/** Notes that the game's members are warned. Returns false if they already were. */
export async function insertWarning(tx: Tx, gameId: string, now: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into storage_warnings (game_id, warned_at) values (${gameId}, ${now}) on conflict do nothing`,
  );
  return count === 1;
}

export async function deleteUsageWarning(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from storage_warnings where game_id = ${gameId}`);
}
