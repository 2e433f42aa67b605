// Removes the ids of a device from its crash reports, which stay, and are then counted without a device.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db, rows, type Tx } from '../../../kernel/database/db.ts';
import { countAgain } from '../groups/counts.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { isUnfinished } from '../report/jobs.ts';

/** A batch is small enough for a short transaction. */
const BATCH = 200;

/** Returns the number of reports of the device. Safe to repeat after an interruption. */
export async function forgetDevice(ctx: Pick<Context, 'db'>, gameId: string, deviceUid: string): Promise<number> {
  // Reports that are being processed first: after that, all others are counted in a group.
  let reports = await forgetUnfinished(ctx.db, gameId, deviceUid);
  for (;;) {
    const ids = await listCounted(ctx.db, gameId, deviceUid, BATCH);
    if (ids.length === 0) return reports;
    await transactGroups(ctx.db, async (tx) => {
      await forgetIds(tx, gameId, ids);
      await countAgain(tx, gameId, ids);
    });
    reports += ids.length;
  }
}

/** Waits for reports that are written to their group at this moment. Returns their number. */
function forgetUnfinished(db: Db, gameId: string, deviceUid: string): Promise<number> {
  return changed(
    db,
    sql`update crash_reports set device_uid = null, session_id = null
      where ${isUnfinished} and game_id = ${gameId} and device_uid = ${deviceUid}`,
  );
}

/** Some reports of the device that are counted in a group. */
async function listCounted(db: Db, gameId: string, deviceUid: string, limit: number): Promise<string[]> {
  const counted = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_impact
      where game_id = ${gameId} and device_uid = ${deviceUid} and device_uid <> '' limit ${limit}`,
  );
  return counted.map(({ report_id }) => report_id).sort();
}

/** Ids must be sorted: reports are locked in their order. */
async function forgetIds(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
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
