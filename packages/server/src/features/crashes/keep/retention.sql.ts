// The SQL that lets go of months of crash reports.
import { sql } from 'kysely';
import { changed, type Db } from '../../../kernel/db.ts';

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
