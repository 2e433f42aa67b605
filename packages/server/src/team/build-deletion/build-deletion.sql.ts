// The SQL of deleting a build: counting what belongs to it, and deleting it.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows, type Tx } from '../../kernel/database/db.ts';

type BuildKey = { gameId: string; buildId: string };

export type Holdings = {
  files: number;
  bytes: number;
  symbols: number;
  upload_sessions: number;
  crash_reports: number;
  devices: number;
};

/** Counts what belongs to a build. Devices are counted if they sent events with it on `since` or later. */
export function countHoldings(db: Db, { gameId, buildId }: BuildKey, now: Date, since: string): Promise<Holdings> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  return onlyRow(
    db,
    sql<Holdings>`select
      (select count(*) from files where ${ofBuild}) as files,
      (select coalesce(sum(size), 0)::bigint from files where ${ofBuild}) as bytes,
      (select count(*) from symbols where ${ofBuild}) as symbols,
      (select count(*) from upload_sessions where ${ofBuild} and finished_at is null and expires_at > ${now}) as upload_sessions,
      (select coalesce(sum(count), 0)::bigint from crash_group_totals where ${ofBuild}) as crash_reports,
      (select coalesce(sum(devices), 0)::bigint from event_device_days where ${ofBuild} and day >= ${since}::date) as devices`,
  );
}

/**
 * Waits for scans and uploads of the build that are ending, blocks others, and returns the number of files. Call it
 * before taking other locks: a scan that ends locks the file and then the channel, an upload that ends its session and
 * then the build.
 */
export async function lockWork(tx: Tx, { gameId, buildId }: BuildKey): Promise<number> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  await rows(tx, sql`select from upload_sessions where ${ofBuild} order by session_id for update`);
  const files = await rows(tx, sql`select from files where ${ofBuild} order by file_id for update`);
  return files.length;
}

/** Deletes the build and everything that refers to it, and records its name; false if there is no such build. */
export async function deleteBuild(tx: Tx, { gameId, buildId }: BuildKey, by: string, now: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`with deleted as (
        delete from builds where game_id = ${gameId} and build_id = ${buildId}
        returning game_id, build_id, version, os, arch, created_at
      )
      insert into deleted_builds (game_id, build_id, version, os, arch, created_at, deleted_at, deleted_by)
      select game_id, build_id, version, os, arch, created_at, ${now}, ${by} from deleted`,
  );
  return count === 1;
}
