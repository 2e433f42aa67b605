// The SQL that deletes what remains of expired crash reports, and stops counting them.
import { sql } from 'kysely';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';

/** Deletes reports with ids below `firstId` that arrived before their month had a partition. */
export function deleteFromDefaultPartition(db: Db, firstId: string): Promise<number> {
  return changed(db, sql`delete from crash_reports_default where report_id < ${firstId}::uuid`);
}

/** Clears the sample of groups whose sample was deleted. It was the group's newest report, so there is no other. */
export async function forgetSamples(db: Db, firstId: string): Promise<void> {
  await changed(db, sql`update crash_groups set sample_report_id = null where sample_report_id < ${firstId}::uuid`);
}

/** The games with crash groups. */
export async function listGamesWithGroups(db: Db): Promise<string[]> {
  const games = await rows(db, sql<{ game_id: string }>`select distinct game_id from crash_groups`);
  return games.map(({ game_id }) => game_id);
}

/** Reports with ids below `firstId` that are still counted, the oldest first. */
export async function listCounted(db: Db, gameId: string, firstId: string, limit: number): Promise<string[]> {
  const counted = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_impact
      where game_id = ${gameId} and report_id < ${firstId}::uuid order by report_id limit ${limit}`,
  );
  return counted.map(({ report_id }) => report_id);
}

/** Deletes values of facets last seen before `day` that no stored report has. */
export async function forgetValues(db: Db, gameId: string, day: string): Promise<void> {
  await changed(
    db,
    sql`delete from crash_facet_values old where game_id = ${gameId} and seen_on < ${day}::date and not exists (
      select from crash_group_values counted
      where counted.game_id = ${gameId} and counted.value_id = old.value_id)`,
  );
}

/** Deletes totals that no report is counted in any more. Rows that are being changed at this moment are skipped. */
export async function forgetTotals(db: Db, gameId: string): Promise<void> {
  await changed(
    db,
    sql`with old as materialized (
        select scope_id, value_id, slot from crash_total_values
        where game_id = ${gameId} and reports = 0 for update skip locked
      )
      delete from crash_total_values counted using old where counted.game_id = ${gameId}
        and counted.scope_id = old.scope_id and counted.value_id = old.value_id and counted.slot = old.slot`,
  );
}
