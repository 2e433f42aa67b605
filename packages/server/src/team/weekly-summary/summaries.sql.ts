// The SQL of weekly summaries.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { WeeklySummary } from '../../notify/alerts/alerts.ts';

export type GameRow = { game_id: string; time_zone: string | null };

/** The games after this one, in the order of their ids, that have no summary since a day. */
export function listGamesWithoutSummary(
  db: Db,
  after: string | null,
  { since, limit }: { since: string; limit: number },
): Promise<GameRow[]> {
  return rows(
    db,
    sql<GameRow>`select games.game_id, time_zone from games left join alert_settings using (game_id)
      where (${after}::uuid is null or games.game_id > ${after}::uuid)
        and not exists (select from weekly_summaries done where done.game_id = games.game_id and week >= ${since}::date)
      order by games.game_id limit ${limit}`,
  );
}

export function findSummary(db: Db, gameId: string, week: string): Promise<{ data: WeeklySummary } | undefined> {
  return row(
    db,
    sql<{ data: WeeklySummary }>`select data from weekly_summaries where game_id = ${gameId} and week = ${week}::date`,
  );
}

/** False if there is one already, or the game was deleted. */
export async function insertSummary(tx: Tx, gameId: string, week: string, data: WeeklySummary): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into weekly_summaries (game_id, week, data)
      select game_id, ${week}::date, ${JSON.stringify(data)}::jsonb from games where game_id = ${gameId}
      on conflict do nothing`,
  );
  return count === 1;
}

export async function deleteSummariesAfter(db: Db, day: string): Promise<void> {
  await changed(db, sql`delete from weekly_summaries where week > ${day}::date`);
}

export async function deleteSummariesBefore(db: Db, day: string): Promise<void> {
  await changed(db, sql`delete from weekly_summaries where week < ${day}::date`);
}
