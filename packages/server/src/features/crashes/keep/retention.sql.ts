// The SQL that lets go of months of crash reports.
import { sql } from 'kysely';
import { changed, type Db, rows, transact } from '../../../kernel/db.ts';

/** Dropping takes a lock that every other query waits behind: better to come again than to hold them all up behind a long one. */
const LOCK_WAIT = '3s';

/** Names of the partitions of months, the oldest first. */
export async function listPartitions(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'crash_reports'::regclass and relname ~ '^crash_reports_[0-9]{4}_[0-9]{2}$' order by relname`,
  );
  return found.map(({ name }) => name);
}

/** Drops a partition with all its reports. Rejects when a long query does not let it. */
export async function dropPartition(db: Db, name: string): Promise<void> {
  await transact(db, async (tx) => {
    await rows(tx, sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`);
    await rows(tx, sql`drop table if exists ${sql.table(name)}`);
  });
}

/** Deletes reports with ids below `firstId` that came while their month had no partition. */
export function deleteUnsorted(db: Db, firstId: string): Promise<number> {
  return changed(db, sql`delete from crash_reports_default where report_id < ${firstId}::uuid`);
}

/** Groups keep their counts, but not a sample that is gone: it was the newest report, so none is left. */
export async function forgetSamples(db: Db, firstId: string): Promise<void> {
  await changed(db, sql`update crash_groups set sample_report_id = null where sample_report_id < ${firstId}::uuid`);
}

/**
 * Deletes at most so many names of functions that were seen last before `day`; answers how many. By age alone: to ask the reports of each
 * name whether one has it would cost most for the names that stay. One that is being seen again at this moment is passed over.
 */
export function forgetFunctions(db: Db, day: string, most: number): Promise<number> {
  return changed(
    db,
    sql`with old as materialized (
        select ctid from crash_functions where seen_on < ${day}::date limit ${most} for update skip locked
      ) delete from crash_functions using old where crash_functions.ctid = old.ctid`,
  );
}
