// Deletes crash reports, and the ids of a device from the reports that stay, which are then counted without a device.
// The files of a report are deleted with it, or later by the sweep.
import * as contract from '@chauffeur/contract/operations/crash-reports';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { countAgain } from '../groups/counts.sql.ts';
import { detachReports, transactGroups } from '../groups/groups.sql.ts';
import { unknownCrash } from '../read/report.ts';
import { deleteReportFiles, type FileKeys } from '../report/files.ts';
import { isUnfinished } from '../report/jobs.ts';

/** Removes the report from its group and its counts, and deletes it with its dump, log and stack. */
export const deleteCrash = handle(contract.deleteCrash, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const files = await transactGroups(ctx.db, async (tx) => {
    await detachReports(tx, game.game_id, [input.crash_id]);
    return deleteReport(tx, game.game_id, input.crash_id);
  });
  if (files === undefined) throw unknownCrash();
  ctx.log.info({ game: game.game_id, crash: input.crash_id, user: caller.user.id }, 'crash report deleted');
  await deleteReportFiles(ctx, files);
  return { deleted: true };
});

export type ReportFiles = FileKeys & { report_id: string };

const columns = sql.raw('report_id, dump_key, log_key, stack_key, event_key, attachments');

/** Deletes a report that is in no group. Returns its files; undefined if there was no such report. */
export function deleteReport(tx: Tx, gameId: string, reportId: string): Promise<ReportFiles | undefined> {
  return row(
    tx,
    sql<ReportFiles>`delete from crash_reports where game_id = ${gameId} and report_id = ${reportId} returning ${columns}`,
  );
}

/** The files of some of a game's reports. */
export function listReportFiles(db: Db, gameId: string, limit: number): Promise<ReportFiles[]> {
  return rows(
    db,
    sql<ReportFiles>`select ${columns} from crash_reports where game_id = ${gameId} order by report_id limit ${limit}`,
  );
}

/** Deletes reports of a game whose groups are deleted as well. Returns their files. */
export function deleteReports(db: Db, gameId: string, reportIds: readonly string[]): Promise<ReportFiles[]> {
  return rows(
    db,
    sql<ReportFiles>`delete from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) returning ${columns}`,
  );
}

/**
 * The files of these reports of any game, and of what waits to be added to a report: the sweep only knows the ids, from
 * the keys of blobs.
 */
export async function filesOf(db: Db, reportIds: readonly string[]): Promise<FileKeys[]> {
  // Citus can't read both in one statement.
  const waiting = await rows(
    db,
    sql<FileKeys>`select null as dump_key, null as log_key, null as stack_key, null as event_key, attachments
      from sentry_parts where part_id = any(${reportIds}::uuid[])`,
  );
  const reports = sql<FileKeys>`select ${columns} from crash_reports where report_id = any(${reportIds}::uuid[])`;
  return [...waiting, ...(await rows(db, reports))];
}

/** A batch is small enough for a short transaction. */
const BATCH = 200;

/** Returns the number of reports of the device. Safe to repeat after an interruption. */
export async function forgetDeviceReports(
  ctx: Pick<Context, 'db'>,
  gameId: string,
  deviceUid: string,
): Promise<number> {
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
