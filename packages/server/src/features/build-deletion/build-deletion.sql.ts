// The SQL of deleting a build: what there is of it, and taking it away.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows, type Tx } from '../../kernel/db.ts';

type BuildKey = { gameId: string; buildId: string };

export type Holdings = {
  files: number;
  bytes: number;
  symbols: number;
  upload_sessions: number;
  crash_reports: number;
  devices: number;
};

/** What there is of a build; devices are those that sent events with it on `since` or later. */
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
 * Waits for scans and uploads of the build that are just ending, and keeps others from it. Before any other lock: the end of a
 * scan locks the file first and the channel then, the end of an upload its session first and the build then. Answers how many
 * files there are.
 */
export async function lockWork(tx: Tx, { gameId, buildId }: BuildKey): Promise<number> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  await rows(tx, sql`select from upload_sessions where ${ofBuild} order by session_id for update`);
  const files = await rows(tx, sql`select from files where ${ofBuild} order by file_id for update`);
  return files.length;
}

/** Deletes the build with all that refers to it, and keeps its name; false when there was none. */
export async function deleteBuild(tx: Tx, { gameId, buildId }: BuildKey, by: string, now: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`with gone as (
        delete from builds where game_id = ${gameId} and build_id = ${buildId}
        returning game_id, build_id, version, os, arch, created_at
      )
      insert into deleted_builds (game_id, build_id, version, os, arch, created_at, deleted_at, deleted_by)
      select game_id, build_id, version, os, arch, created_at, ${now}, ${by} from gone`,
  );
  return count === 1;
}
