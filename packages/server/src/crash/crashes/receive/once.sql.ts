// The SQL that finds earlier copies of a report by the client's own id, or by its idempotency key.
import { sql } from 'kysely';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';

/** An idempotency key belongs to the game, not to one of its builds. */
export const NO_BUILD = '00000000-0000-0000-0000-000000000000';

/** A report by its client's own id or idempotency key; `hash` is the hash of either, as hex. */
export type ReportName = { gameId: string; buildId: string; hash: string };

/** `requestHash` is null for a client's own id. */
export type EarlierReport = ReportName & { reportId: string; requestHash: string | null; hasUploads: boolean };

/** For each of these names, the report since `since`, if there is one. */
export function findEarlier(db: Db, named: readonly ReportName[], since: Date): Promise<EarlierReport[]> {
  const column = (name: keyof ReportName) => named.map((report) => report[name]);
  return rows(
    db,
    sql<EarlierReport>`
      select game_id as "gameId", known.build_id as "buildId", encode(known.hash, 'hex') as hash,
        report_id as "reportId", encode(request_hash, 'hex') as "requestHash", has_uploads as "hasUploads"
      from unnest(${column('gameId')}::uuid[], ${column('buildId')}::uuid[], ${column('hash')}::text[])
          as named (named_game, named_build, named_hash)
        join crash_report_names known
          on known.hash = decode(named_hash, 'hex') and game_id = named_game and build_id = named_build
        join crash_reports using (game_id, report_id)
      where report_id >= ${firstIdAt(since.getTime())}::uuid`,
  );
}

/**
 * Deletes the name if its report does not exist. It is a separate statement: a statement that waited for the
 * transaction of that report would not see it yet.
 */
export async function freeName(db: Db, { gameId, buildId, hash }: ReportName): Promise<void> {
  await changed(
    db,
    sql`delete from crash_report_names known
      where game_id = ${gameId} and build_id = ${buildId} and hash = decode(${hash}, 'hex') and not exists (
        select from crash_reports where crash_reports.game_id = ${gameId} and crash_reports.report_id = known.report_id)`,
  );
}

/** Deletes the names of reports before `before`. */
export async function deleteNames(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from crash_report_names where report_id < ${firstIdAt(before.getTime())}::uuid`);
}
