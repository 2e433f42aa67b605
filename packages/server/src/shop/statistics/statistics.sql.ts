// The SQL of statistics: counts of views and plays by UTC day, and of the websites that
// downloads and plays came from; and what is read from them and from those of downloads.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import type { Counted } from '../../request/daily-counter.ts';

export type View = { readonly gameId: string; readonly os: string; readonly referrer: string };
/** A download or play that began with a link on another website. */
export type Referral = { readonly gameId: string; readonly referrer: string };
export type Play = { readonly gameId: string; readonly buildId: string };

/** A game has at most this many hosts in a day, because they come from requests. The others are counted together. */
const MAX_REFERRERS = 100;

/**
 * Common table expressions after `given`, with columns `game_id`, `os`, `referrer` and `added`. In `limited`, referrers
 * beyond the limit of the day are replaced. `existing_games` are those of `given` that aren't deleted.
 */
const limitReferrers = (table: string, day: string) => sql`known as (
        select game_id, referrer, count(*) over (partition by game_id) as total
        from (select distinct game_id, referrer from ${sql.table(table)}
          where day = ${day}::date and game_id in (select game_id from given)) as today
      ), limited as (
        select game_id, os, added, case
            when referrer = '' or exists (select from known where known.game_id = given.game_id and known.referrer = given.referrer)
              or coalesce((select max(total) from known where known.game_id = given.game_id), 0)
                + dense_rank() over (partition by game_id order by referrer) <= ${MAX_REFERRERS}
            then referrer else 'other' end as referrer
        from given
      ), existing_games as (
        select game_id from all_games where game_id in (select game_id from given) order by game_id for key share
      )`;

/** Skips deleted games. */
export async function addViews(db: Db, day: string, views: readonly Counted<View>[]): Promise<void> {
  const counts = views.map(({ count }) => count);
  await changed(
    db,
    sql`with given as (
        select game_id, os, referrer, added from unnest(${views.map(({ gameId }) => gameId)}::uuid[],
          ${views.map(({ os }) => os)}::text[], ${views.map(({ referrer }) => referrer)}::text[], ${counts}::bigint[])
          as given (game_id, os, referrer, added)
      ), ${limitReferrers('view_days', day)}
      insert into view_days as existing (game_id, day, os, referrer, count)
      select game_id, ${day}::date, os, referrer, sum(added) from limited join existing_games using (game_id)
      group by game_id, os, referrer order by game_id, os, referrer
      on conflict (game_id, day, os, referrer) do update set count = existing.count + excluded.count`,
  );
}

export type ReferralTable = 'download_referrer_days' | 'play_referrer_days';

/** Skips deleted games. */
export async function addReferrals(
  db: Db,
  table: ReferralTable,
  day: string,
  referrals: readonly Counted<Referral>[],
): Promise<void> {
  const counts = referrals.map(({ count }) => count);
  await changed(
    db,
    sql`with given as (
        select game_id, '' as os, referrer, added from unnest(${referrals.map(({ gameId }) => gameId)}::uuid[],
          ${referrals.map(({ referrer }) => referrer)}::text[], ${counts}::bigint[]) as given (game_id, referrer, added)
      ), ${limitReferrers(table, day)}
      insert into ${sql.table(table)} as existing (game_id, day, referrer, count)
      select game_id, ${day}::date, referrer, sum(added) from limited join existing_games using (game_id)
      group by game_id, referrer order by game_id, referrer
      on conflict (game_id, day, referrer) do update set count = existing.count + excluded.count`,
  );
}

/** Skips deleted builds. */
export async function addPlays(db: Db, day: string, plays: readonly Counted<Play>[]): Promise<void> {
  const counts = plays.map(({ count }) => count);
  await changed(
    db,
    sql`with existing_builds as (
        select game_id, build_id, added from unnest(${plays.map(({ gameId }) => gameId)}::uuid[],
          ${plays.map(({ buildId }) => buildId)}::uuid[], ${counts}::bigint[]) as given (game_id, build_id, added)
        join builds using (game_id, build_id) order by game_id, build_id for key share of builds
      )
      insert into play_days as existing (game_id, build_id, day, count)
      select game_id, build_id, ${day}::date, added from existing_builds order by game_id, build_id
      on conflict (game_id, build_id, day) do update set count = existing.count + excluded.count`,
  );
}

/** The UTC days from `first` to `last`, both included. With a build, only its downloads and plays count. */
export type StatisticsRange = {
  readonly gameId: string;
  readonly buildId: string | null;
  readonly first: string;
  readonly last: string;
};

/** Selects the downloads and plays of builds on the days, as rows of game, build, day and both counts. */
const uses = ({ gameId, buildId, first, last }: StatisticsRange) => {
  const inRange = sql`game_id = ${gameId} and build_id = coalesce(${buildId}::uuid, build_id)
    and day between ${first}::date and ${last}::date`;
  return sql`(select game_id, build_id, day, count as downloads, 0::bigint as plays from download_days where ${inRange}
    union all select game_id, build_id, day, 0, count from play_days where ${inRange})`;
};

const views = ({ gameId, buildId, first, last }: StatisticsRange) =>
  sql`(select day, os, referrer, count as views from view_days where game_id = ${gameId} and ${buildId}::uuid is null
    and day between ${first}::date and ${last}::date)`;

export type DayRow = { day: string; views: number; downloads: number; plays: number };

/** The counts by day, without days that have none. */
export function countByDay(db: Db, range: StatisticsRange): Promise<DayRow[]> {
  return rows(
    db,
    sql<DayRow>`select to_char(day, 'YYYY-MM-DD') as day, sum(views)::bigint as views, sum(downloads)::bigint as downloads,
        sum(plays)::bigint as plays
      from (select day, views, 0::bigint as downloads, 0::bigint as plays from ${views(range)} as seen
        union all select day, 0, downloads, plays from ${uses(range)} as used) as counted
      group by day`,
  );
}

export type VersionRow = { version: string; downloads: number; plays: number };

export function countVisitsByVersion(db: Db, range: StatisticsRange, limit: number): Promise<VersionRow[]> {
  return rows(
    db,
    sql<VersionRow>`select version, sum(downloads)::bigint as downloads, sum(plays)::bigint as plays
      from ${uses(range)} as used join builds using (game_id, build_id)
      group by version order by sum(downloads + plays) desc, version limit ${limit}`,
  );
}

export type SystemRow = { os: string; views: number; downloads: number; plays: number };

export function countBySystem(db: Db, range: StatisticsRange): Promise<SystemRow[]> {
  return rows(
    db,
    sql<SystemRow>`select os, sum(views)::bigint as views, sum(downloads)::bigint as downloads, sum(plays)::bigint as plays
      from (select os, views, 0::bigint as downloads, 0::bigint as plays from ${views(range)} as seen
        union all select os, 0, downloads, plays from ${uses(range)} as used join builds using (game_id, build_id)) as counted
      group by os order by sum(views + downloads + plays) desc, os`,
  );
}

export type ReferrerRow = { host: string; views: number; downloads: number; plays: number };

/** The counts by referrer, without downloads and plays that did not begin with a link on another website. */
export function countByReferrer(db: Db, range: StatisticsRange, limit: number): Promise<ReferrerRow[]> {
  const { gameId, first, last } = range;
  const inRange = sql`game_id = ${gameId} and day between ${first}::date and ${last}::date`;
  return rows(
    db,
    sql<ReferrerRow>`with referred as (
        select referrer, count as downloads, 0::bigint as plays from download_referrer_days where ${inRange}
        union all select referrer, 0, count from play_referrer_days where ${inRange}
      ), everything as (
        select coalesce(sum(downloads), 0) as downloads, coalesce(sum(plays), 0) as plays from ${uses(range)} as used
      ), known as (select coalesce(sum(downloads), 0) as downloads, coalesce(sum(plays), 0) as plays from referred)
      select referrer as host, sum(views)::bigint as views, sum(downloads)::bigint as downloads, sum(plays)::bigint as plays
      from (select referrer, views, 0::bigint as downloads, 0::bigint as plays from ${views(range)} as seen
        union all select referrer, 0, downloads, plays from referred
        union all select '', 0, greatest(0, everything.downloads - known.downloads),
          greatest(0, everything.plays - known.plays) from everything, known) as counted
      group by referrer having sum(views + downloads + plays) > 0
      order by sum(views + downloads + plays) desc, referrer limit ${limit}`,
  );
}

export async function countFollowers(db: Db, gameId: string): Promise<number> {
  const { followers } = await onlyRow(
    db,
    sql<{ followers: number }>`select count(*)::int as followers from follows where game_id = ${gameId}`,
  );
  return followers;
}

export async function deleteReferrers(db: Db, before: string): Promise<void> {
  await changed(db, sql`delete from view_days where day < ${before}::date`);
  await changed(db, sql`delete from download_referrer_days where day < ${before}::date`);
  await changed(db, sql`delete from play_referrer_days where day < ${before}::date`);
}
