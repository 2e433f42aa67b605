// The runs of backups, which are stored for monitoring, and the job that completes deletions after a backup.

import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { areDeletionsLocked, deleteHeld } from '../../kernel/blobs/held-deletions.ts';
import { changed, type Db, onlyRow } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';

/** The newest runs of backups, for monitoring. */
export async function readLatestBackups({ db, clock }: Context): Promise<LatestRuns> {
  return readLatestRuns(db, { isRunning: await areDeletionsLocked(db), now: clock.now() });
}

const MAX_RUNS = 100;

export type RunOutcome = 'complete' | 'damaged' | 'failed';

export async function canStoreRuns(db: Db): Promise<boolean> {
  const { can } = await onlyRow(db, sql<{ can: boolean }>`select to_regclass('backup_runs') is not null as can`);
  return can;
}

/** Stores the start of a run, and forgets old ones. */
export async function beginRun(db: Db, startedAt: Date): Promise<void> {
  await changed(
    db,
    sql`with old as (
        delete from backup_runs where started_at < (select started_at from backup_runs order by started_at desc
          limit 1 offset ${MAX_RUNS})
      )
      insert into backup_runs (started_at) values (${startedAt}) on conflict do nothing`,
  );
}

export async function endRun(db: Db, startedAt: Date, endedAt: Date, outcome: RunOutcome): Promise<void> {
  await changed(
    db,
    sql`update backup_runs set ended_at = ${endedAt}, outcome = ${outcome} where started_at = ${startedAt}`,
  );
}

export type LatestRuns = {
  /** When the newest complete backup began; null if there was none. */
  succeeded_at: Date | null;
  /** The seconds that it took. */
  seconds: number | null;
  /** When the newest run began that failed, was interrupted or found damage. */
  failed_at: Date | null;
};

/**
 * A run without an end is in progress if it is the newest and `isRunning`; otherwise it was interrupted. Runs that
 * began after `now`, while the clock was ahead, say nothing about the present.
 */
export function readLatestRuns(db: Db, { isRunning, now }: { isRunning: boolean; now: Date }): Promise<LatestRuns> {
  return onlyRow(
    db,
    sql<LatestRuns>`with runs as (
        select * from backup_runs where started_at <= ${now}
      ), latest as (
        select started_at, extract(epoch from ended_at - started_at)::double precision as seconds from runs
        where outcome in ('complete', 'damaged') order by started_at desc limit 1
      ), failed as (
        select max(started_at) as started_at from runs
        where outcome in ('damaged', 'failed')
          or outcome is null and not (${isRunning} and started_at = (select max(started_at) from runs))
      )
      select latest.started_at as succeeded_at, seconds, failed.started_at as failed_at from failed left join latest on true`,
  );
}

/** Deletes blobs whose deletion waited for the end of a backup, even if the backup was killed. */
export const deleteHeldJob = defineJob(
  'backups:delete-held',
  { attempts: 3, cron: '*/10 * * * *', lane: 'long' },
  deleteHeldBlobs,
);

export function deleteHeldBlobs({ db, blobs }: Context): Promise<void> {
  return deleteHeld(db, blobs);
}
