// The SQL that counts downloads.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows } from '../../kernel/database/db.ts';

export type Count = { readonly gameId: string; readonly buildId: string; readonly count: number };

/** The number of downloads of a row of `builds`. */
export const downloadsOfBuild = sql<number>`(select coalesce(sum(count), 0)::bigint from download_days
  where download_days.game_id = builds.game_id and download_days.build_id = builds.build_id)`;

/** Adds counts in the order of the key, so that two processes cannot deadlock. Skips deleted builds. */
export async function addDownloads(db: Db, day: string, counts: readonly Count[]): Promise<void> {
  const [games, builds] = [counts.map(({ gameId }) => gameId), counts.map(({ buildId }) => buildId)];
  const numbers = counts.map(({ count }) => count);
  await changed(
    db,
    sql`with existing_builds as (
        select game_id, build_id, added from unnest(${games}::uuid[], ${builds}::uuid[], ${numbers}::bigint[])
          as given (game_id, build_id, added) join builds using (game_id, build_id)
        order by game_id, build_id for key share of builds
      )
      insert into download_days as existing (game_id, build_id, day, count)
      select game_id, build_id, ${day}::date, added from existing_builds order by game_id, build_id
      on conflict (game_id, build_id, day) do update set count = existing.count + excluded.count`,
  );
}

/** The UTC days from `first` up to `end`, which is excluded. */
export type DownloadDays = { readonly first: string; readonly end: string };

/** Returns the downloads on each UTC day from `first` on. Days without downloads are left out. */
export function downloadsByDay(db: Db, gameId: string, first: string): Promise<{ day: string; count: number }[]> {
  return rows(
    db,
    sql<{ day: string; count: number }>`select day::text, sum(count)::bigint as count from download_days
      where game_id = ${gameId} and day >= ${first}::date group by day`,
  );
}

export async function sumDownloads(db: Db, gameId: string, { first, end }: DownloadDays): Promise<number> {
  const { sum } = await onlyRow(
    db,
    sql<{ sum: number }>`select coalesce(sum(count), 0)::bigint as sum from download_days
      where game_id = ${gameId} and day >= ${first}::date and day < ${end}::date`,
  );
  return sum;
}
