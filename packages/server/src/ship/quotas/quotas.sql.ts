// The SQL of quotas: the limits of single games, who changed them, and the storage of all games for operators.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

/** The quotas in MiB; null for the setting, 0 for no limit. */
export type QuotaRow = { storage_mb: number | null; crash_mb: number | null };

export async function readQuota(db: Db, gameId: string): Promise<QuotaRow> {
  const quota = await row(db, sql<QuotaRow>`select storage_mb, crash_mb from game_quotas where game_id = ${gameId}`);
  return quota ?? { storage_mb: null, crash_mb: null };
}

export function writeQuota(tx: Tx, gameId: string, { storage_mb, crash_mb }: QuotaRow): Promise<number> {
  return changed(
    tx,
    sql`insert into game_quotas (game_id, storage_mb, crash_mb) values (${gameId}, ${storage_mb}, ${crash_mb})
      on conflict (game_id) do update set storage_mb = excluded.storage_mb, crash_mb = excluded.crash_mb`,
  );
}

export type QuotaChangeRow = QuotaRow & { changed_at: Date; changed_by: string | null };

export async function insertChange(
  tx: Tx,
  gameId: string,
  change: QuotaChangeRow & { changeId: string },
): Promise<void> {
  const { changeId, changed_at, changed_by, storage_mb, crash_mb } = change;
  await changed(
    tx,
    sql`insert into game_quota_changes (game_id, change_id, changed_at, changed_by, storage_mb, crash_mb)
      values (${gameId}, ${changeId}, ${changed_at}, ${changed_by}, ${storage_mb}, ${crash_mb})`,
  );
}

/** The changes, newest first, because ids start with their creation time. */
export function listQuotaChanges(db: Db, gameId: string, limit: number): Promise<QuotaChangeRow[]> {
  return rows(
    db,
    sql<QuotaChangeRow>`select changed_at, changed_by, storage_mb, crash_mb from game_quota_changes
      where game_id = ${gameId} order by change_id desc limit ${limit}`,
  );
}

export type GameStorageRow = QuotaRow & {
  game_id: string;
  slug: string;
  name: string;
  owner: string;
  builds_bytes: number;
  sessions_bytes: number;
  symbols_bytes: number;
  event_files_bytes: number;
  videos_bytes: number;
  patches_bytes: number;
  images_bytes: number;
  /** The bytes that the storage quota counts: builds, sessions, symbols, event files, videos and patches. */
  used_bytes: number;
  crash_bytes: number;
  /** The bytes by which the list is sorted. */
  rank_bytes: number;
};

/** The position after which a page begins. */
type GamePosition = { rankBytes: string; gameId: string };

type ListOptions = { search: string | null; after: GamePosition | null; limit: number; day: Date };

/** The games that use the most storage first. */
export function listGameStorage(db: Db, { search, after, limit, day }: ListOptions): Promise<GameStorageRow[]> {
  const name = sql`lower(games.name || ' ' || slug)`;
  const isMatch = search === null ? sql`true` : sql`position(lower(${search}) in ${name}) > 0`;
  const isAfter =
    after === null ? sql`true` : sql`(${RANK}, games.game_id) < (${after.rankBytes}::bigint, ${after.gameId}::uuid)`;
  return rows(db, selectGames(sql`${isMatch} and ${isAfter}`, limit, day));
}

/** Undefined if the game was deleted. */
export function readGameStorage(db: Db, gameId: string, day: Date): Promise<GameStorageRow | undefined> {
  return row(db, selectGames(sql`games.game_id = ${gameId}`, 1, day));
}

/**
 * The bytes by which games are ranked. They include symbols that no build uses any more, until they are deleted:
 * leaving them out would take most of the time.
 */
const RANK = sql`(coalesce(builds, 0) + coalesce(sessions, 0) + coalesce(symbols, 0) + coalesce(event_files, 0) + coalesce(videos, 0)
  + coalesce(patches, 0))::bigint`;

/**
 * Sums each table once to rank all games, instead of once for each game, and reads everything else only for the games
 * of the page. For a single game, PostgreSQL sums only its rows.
 */
function selectGames(condition: RawBuilder<unknown>, limit: number, day: Date): RawBuilder<GameStorageRow> {
  return sql<GameStorageRow>`with page as materialized (
      select games.game_id, slug, games.name, owner_id, coalesce(builds, 0)::bigint as builds_bytes,
        coalesce(sessions, 0)::bigint as sessions_bytes, coalesce(event_files, 0)::bigint as event_files_bytes,
        coalesce(videos, 0)::bigint as videos_bytes, coalesce(patches, 0)::bigint as patches_bytes, ${RANK} as rank_bytes
      from games
        left join (select game_id, sum(size) as builds from files
          where scan_state not in ('infected', 'error') group by game_id) stored_files using (game_id)
        left join (select game_id, sum(total_size) as sessions from upload_sessions
          where finished_at is null group by game_id) open_sessions using (game_id)
        left join (select game_id, sum(bytes) as symbols from (
            select game_id, stored_size + coalesce(cache_size, 0) as bytes from symbol_texts
            union all select game_id, size from native_symbols where blob_key is not null
          ) symbol_bytes group by game_id) stored_symbols using (game_id)
        left join (select game_id, sum(size) as event_files from event_files group by game_id) stored_events using (game_id)
        left join (select game_id, sum(size) as videos from videos
          where scan_state not in ('infected', 'error') group by game_id) stored_videos using (game_id)
        left join (select game_id, sum(coalesce(difference_size, 0) + coalesce(pack_size, 0)) as patches
          from file_differences group by game_id) stored_patches using (game_id)
      where ${condition}
      order by rank_bytes desc, games.game_id desc limit ${limit}
    )
    select page.game_id, slug, page.name, rank_bytes, builds_bytes, sessions_bytes, symbols_bytes,
      event_files_bytes, videos_bytes, patches_bytes, storage_mb,
      builds_bytes + sessions_bytes + symbols_bytes + event_files_bytes + videos_bytes + patches_bytes as used_bytes,
      crash_mb, users.email as owner,
      coalesce((select sum(size) from media where media.game_id = page.game_id), 0)::bigint as images_bytes,
      coalesce((select used from rate_counters where subject = page.game_id::text and name = 'crash bytes'
        and window_start = ${day}::timestamptz), 0) as crash_bytes
    from page join users on users.id = owner_id left join game_quotas using (game_id)
      cross join lateral (select ((select coalesce(sum(stored_size + coalesce(cache_size, 0)), 0)
          from symbol_texts where symbol_texts.game_id = page.game_id and exists (select from symbols
            where symbols.game_id = symbol_texts.game_id and symbols.checksum = symbol_texts.checksum))
        + (select coalesce(sum(size), 0) from native_symbols
          where native_symbols.game_id = page.game_id and blob_key is not null))::bigint as symbols_bytes) used_symbols
    order by rank_bytes desc, page.game_id desc`;
}

/** Deletes the mark of a warning, so that the owner is warned again about the new limit. */
export async function deleteQuotaWarning(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from storage_warnings where game_id = ${gameId}`);
}
