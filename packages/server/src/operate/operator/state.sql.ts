// The SQL of the state of the service: the database itself, and the stored data.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';

export type DatabaseRow = {
  version: string;
  bytes: number;
  connections: number;
  most_connections: number;
  /** Names of settings that are off, so a crash of the database's machine can lose what was acknowledged. */
  unsafe_settings: string[];
  migrations: number;
  newest_migration: string | null;
};

export function readDatabase(db: Db): Promise<DatabaseRow> {
  return onlyRow(
    db,
    sql<DatabaseRow>`select current_setting('server_version') as version,
        pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where datname = current_database()) as connections,
        current_setting('max_connections')::integer as most_connections,
        array(select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
          and setting = 'off' order by name) as unsafe_settings,
        (select count(*) from migrations) as migrations,
        (select max(name) from migrations) as newest_migration`,
  );
}

export type KeptRow = { what: 'builds' | 'images' | 'videos' | 'symbols'; count: number; bytes: number };

/** Excludes crash reports, of which there may be millions. */
export function countKept(db: Db): Promise<KeptRow[]> {
  return rows(
    db,
    sql<KeptRow>`
      select 'builds' as what, count(*) as count, coalesce(sum(size), 0)::bigint as bytes from files
        where scan_state not in ('infected', 'error')
      union all select 'images', count(*), coalesce(sum(size), 0)::bigint from media
      union all select 'videos', count(*), coalesce(sum(size), 0)::bigint from videos
        where scan_state not in ('infected', 'error')
      union all select 'symbols', count(*), coalesce(sum(stored_size + coalesce(cache_size, 0)), 0)::bigint from symbol_texts`,
  );
}

export type Totals = { users: number; games: number; builds: number };

export function countTotals(db: Db): Promise<Totals> {
  return onlyRow(
    db,
    sql<Totals>`select (select count(*) from users) as users, (select count(*) from games) as games,
      (select count(*) from builds) as builds`,
  );
}

export type UsedLimitRow = { game_uid: string; slug: string; name: string; limit: string; used: number; since: Date };

type Windows = { readonly names: readonly string[]; readonly since: Date; readonly limit: number };

/** Counters with these names of the windows that started at `since` or later, the highest first. */
export function listUsedLimits(db: Db, { names, since, limit }: Windows): Promise<UsedLimitRow[]> {
  return rows(
    db,
    sql<UsedLimitRow>`select games.game_id as game_uid, slug, games.name, rate_counters.name as limit, used, window_start as since
      from rate_counters join games on games.game_id::text = rate_counters.subject
      where rate_counters.name = any(${names}::text[]) and window_start >= ${since} order by used desc, games.game_id limit ${limit}`,
  );
}
