// The SQL that removes the ids of a device from its reports.
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx } from '../../../kernel/database/db.ts';
import { isUnfinished } from '../groups/messages.sql.ts';

/** Waits for reports that are written to their group at this moment. Returns their number. */
export function forgetUnfinished(db: Db, gameId: string, deviceUid: string): Promise<number> {
  return changed(
    db,
    sql`update crash_reports set device_uid = null, session_id = null
      where ${isUnfinished} and game_id = ${gameId} and device_uid = ${deviceUid}`,
  );
}

/** Some reports of the device that are counted in a group. */
export async function listCounted(db: Db, gameId: string, deviceUid: string, limit: number): Promise<string[]> {
  const counted = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_impact
      where game_id = ${gameId} and device_uid = ${deviceUid} and device_uid <> '' limit ${limit}`,
  );
  return counted.map(({ report_id }) => report_id).sort();
}

/** Ids must be sorted: reports are locked in their order. */
export async function forgetIds(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  await rows(
    tx,
    sql`select from crash_reports where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])
      order by report_id for update`,
  );
  await changed(
    tx,
    sql`update crash_reports set device_uid = null, session_id = null
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
}
