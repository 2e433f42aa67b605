// The SQL that removes the reports of a deleted game.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/db.ts';
import type { StoredFiles } from '../read/reading.sql.ts';

export type ReportFiles = Pick<StoredFiles, 'dump_key' | 'log_key' | 'stack_key'> & { report_id: string };

const columns = sql.raw('report_id, dump_key, log_key, stack_key');

export function listFiles(db: Db, gameId: string, limit: number): Promise<ReportFiles[]> {
  return rows(
    db,
    sql<ReportFiles>`select ${columns} from crash_reports where game_id = ${gameId} order by report_id limit ${limit}`,
  );
}

/** Answers the files that the reports had when they were deleted. */
export function deleteReports(db: Db, gameId: string, reportIds: readonly string[]): Promise<ReportFiles[]> {
  return rows(
    db,
    sql<ReportFiles>`delete from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) returning ${columns}`,
  );
}
