// The SQL of the state of the service: the database itself, the stored data, and the queue of jobs, whose payloads are
// never read, because emails contain links and codes.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';

export type DatabaseRow = {
  version: string;
  bytes: number;
  connections: number;
  most_connections: number;
  /** The names of settings that are off, so a crash of the database's machine can lose what was acknowledged. */
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

/** The numbers of stored rows, without crash reports, of which there may be millions. */
export function countKept(db: Db): Promise<KeptRow[]> {
  return rows(
    db,
    sql<KeptRow>`
      select 'builds' as what, count(*) as count, coalesce(sum(size), 0)::bigint as bytes from files
        where scan_state not in ('infected', 'error')
      union all select 'images', count(*), coalesce(sum(size), 0)::bigint from media
      union all select 'videos', count(*), coalesce(sum(size), 0)::bigint from videos
        where scan_state not in ('infected', 'error')
      union all select 'symbols', count(*), coalesce(sum(bytes), 0)::bigint from (
        select stored_size + coalesce(cache_size, 0) as bytes from symbol_texts
        union all select stored_size + coalesce(cache_size, 0) from system_symbols
        union all select size from native_symbols where blob_key is not null
        union all select stored_size from (
          select distinct blob_key, stored_size from mappings where blob_key is not null
        ) stored_mappings
      ) stored_symbols`,
  );
}

export type ServiceTotals = { users: number; games: number; builds: number };

export function countTotals(db: Db): Promise<ServiceTotals> {
  return onlyRow(
    db,
    sql<ServiceTotals>`select (select count(*) from users) as users, (select count(*) from games) as games,
      (select count(*) from builds) as builds`,
  );
}

export type UsedLimitRow = { game_uid: string; slug: string; name: string; limit: string; used: number; since: Date };

type Windows = { readonly names: readonly string[]; readonly since: Date; readonly limit: number };

/** The counters with these names of the windows that started at `since` or later, the highest first. */
export function listUsedLimits(db: Db, { names, since, limit }: Windows): Promise<UsedLimitRow[]> {
  return rows(
    db,
    sql<UsedLimitRow>`select games.game_id as game_uid, slug, games.name, rate_counters.name as limit, used, window_start as since
      from rate_counters join games on games.game_id::text = rate_counters.subject
      where rate_counters.name = any(${names}::text[]) and window_start >= ${since} order by used desc, games.game_id limit ${limit}`,
  );
}

export type JobKindRow = {
  task: string;
  waiting: number;
  later: number;
  running: number;
  failed: number;
  oldest_waiting_at: Date | null;
};

export type FailedJobRow = {
  job_id: number;
  task: string;
  tries: number;
  error: string | null;
  failed_at: Date;
  /** The time of `failed_at` in microseconds since 1970. */
  failed_us: string;
  created_at: Date;
};

const isFailed = sql`attempts >= max_attempts and locked_at is null`;
const isDue = sql`attempts < max_attempts and locked_at is null and run_at <= now()`;

export function countJobs(db: Db): Promise<JobKindRow[]> {
  return rows(
    db,
    sql<JobKindRow>`select task_identifier as task,
        count(*) filter (where ${isDue}) as waiting,
        count(*) filter (where attempts < max_attempts and locked_at is null and run_at > now()) as later,
        count(*) filter (where locked_at is not null) as running,
        count(*) filter (where ${isFailed}) as failed,
        min(run_at) filter (where ${isDue}) as oldest_waiting_at
      from graphile_worker.jobs group by task_identifier order by task_identifier`,
  );
}

/** The position at the end of a page: microseconds since 1970, and the job id. */
export type JobPosition = { failedUs: string; jobId: string };

export function listFailed(db: Db, before: JobPosition | null, limit: number): Promise<FailedJobRow[]> {
  const failedUs = sql`(extract(epoch from updated_at) * 1000000)::bigint`;
  const beforeCursor =
    before === null ? sql`` : sql`and (${failedUs}, id) < (${before.failedUs}::bigint, ${before.jobId}::bigint)`;
  return rows(
    db,
    sql<FailedJobRow>`select id as job_id, task_identifier as task, attempts as tries, last_error as error,
        updated_at as failed_at, ${failedUs}::text as failed_us, created_at
      from graphile_worker.jobs where ${isFailed} ${beforeCursor}
      order by updated_at desc, id desc limit ${limit}`,
  );
}

/** Resets the attempts of one or all failed jobs so that they run again now. Returns their number. */
export async function retryFailed(db: Db, jobId: string | null): Promise<number> {
  const retried = await rows(
    db,
    sql`select from graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs where ${isFailed} and (${jobId}::bigint is null or id = ${jobId}::bigint)),
      run_at => now(), attempts => 0)`,
  );
  return retried.length;
}

/** Deletes a failed job. Returns the number of deleted jobs. */
export async function deleteFailed(db: Db, jobId: string): Promise<number> {
  const deleted = await rows(
    db,
    sql`select from graphile_worker.complete_jobs(
      array(select id from graphile_worker.jobs where ${isFailed} and id = ${jobId}::bigint))`,
  );
  return deleted.length;
}
