// The SQL of refused reports and events: counts by game, UTC day and what was sent as the build id.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { MAX_REFS, type RefusedBuild } from './collector.ts';

/**
 * Adds counts, and returns the games of them that exist. A game has at most `MAX_REFS` build ids in a day, and a few
 * more if several processes add them at once; the others are counted together.
 */
export async function addRefusals(db: Db, day: string, refused: readonly RefusedBuild[]): Promise<string[]> {
  const column = <Name extends keyof RefusedBuild>(name: Name) => refused.map((entry) => entry[name]);
  const added = await rows(
    db,
    sql<{ game_id: string }>`with given as (
        select game_id, kind, build_ref, is_rest, added, first_at, last_at
        from unnest(${column('gameId')}::uuid[], ${column('kind')}::text[], ${column('buildRef')}::text[],
          ${column('isRest')}::boolean[], ${column('count')}::bigint[],
          ${column('firstAt')}::timestamptz[], ${column('lastAt')}::timestamptz[])
          as given (game_id, kind, build_ref, is_rest, added, first_at, last_at)
      ), existing_games as (
        select game_id from all_games where game_id in (select game_id from given) order by game_id for key share
      ), known as (
        select game_id, build_ref, count(*) over (partition by game_id) as total
        from (select distinct game_id, build_ref from refused_builds
          where day = ${day}::date and not is_rest and game_id in (select game_id from given)) as today
      ), compared as (
        select given.*, exists (select from known
            where known.game_id = given.game_id and known.build_ref = given.build_ref) as is_known
        from given join existing_games using (game_id)
      ), limited as (
        select game_id, kind, added, first_at, last_at, build_ref, is_rest or (not is_known
            and coalesce((select max(total) from known where known.game_id = compared.game_id), 0)
              + dense_rank() over (partition by game_id, is_known, is_rest order by build_ref) > ${MAX_REFS}) as is_rest
        from compared
      )
      insert into refused_builds as existing (game_id, day, kind, is_rest, build_ref, count, first_at, last_at)
      select game_id, ${day}::date, kind, is_rest, case when is_rest then '' else build_ref end as shown,
        sum(added), min(first_at), max(last_at)
      from limited group by game_id, kind, is_rest, shown order by game_id, kind, is_rest, shown
      on conflict (game_id, day, kind, is_rest, build_ref) do update set count = existing.count + excluded.count,
        first_at = least(existing.first_at, excluded.first_at), last_at = greatest(existing.last_at, excluded.last_at)
      returning game_id`,
  );
  return [...new Set(added.map(({ game_id }) => game_id))];
}

export type RefusalRow = {
  build_ref: string;
  is_rest: boolean;
  reports: number;
  events: number;
  first_at: Date;
  last_at: Date;
};

/** What was refused since the day, with the ids that were sent last first. */
export function listRefused(db: Db, gameId: string, since: string, limit: number): Promise<RefusalRow[]> {
  return rows(
    db,
    sql<RefusalRow>`select build_ref, is_rest, coalesce(sum(count) filter (where kind = 'report'), 0)::bigint as reports,
        coalesce(sum(count) filter (where kind = 'event'), 0)::bigint as events,
        min(first_at) as first_at, max(last_at) as last_at
      from refused_builds where game_id = ${gameId} and day >= ${since}::date
      group by build_ref, is_rest order by last_at desc, is_rest, build_ref limit ${limit}`,
  );
}

export type RefusedSinceRow = { reports: number; events: number; last_at: Date | null };

/** What was refused since a time; its day counts as a whole, unless nothing was refused after the time. */
export function countRefusedSince(db: Db, gameId: string, since: Date): Promise<RefusedSinceRow> {
  return onlyRow(
    db,
    sql<RefusedSinceRow>`select coalesce(sum(count) filter (where kind = 'report'), 0)::bigint as reports,
        coalesce(sum(count) filter (where kind = 'event'), 0)::bigint as events, max(last_at) as last_at
      from refused_builds where game_id = ${gameId} and last_at >= ${since}::timestamptz
        and day >= (${since}::timestamptz at time zone 'utc')::date`,
  );
}

/** Which of the texts are versions of the game. */
export function findVersions(db: Db, gameId: string, refs: readonly string[]): Promise<{ version: string }[]> {
  return rows(
    db,
    sql<{ version: string }>`select distinct version from builds
      where game_id = ${gameId} and version = any(${refs}::text[])`,
  );
}

export type DeletedBuildRow = { build_id: string; version: string; deleted_at: Date };

export function findDeletedBuilds(db: Db, gameId: string, ids: readonly string[]): Promise<DeletedBuildRow[]> {
  return rows(
    db,
    sql<DeletedBuildRow>`select build_id, version, deleted_at from deleted_builds
      where game_id = ${gameId} and build_id = any(${ids}::uuid[])`,
  );
}

/**
 * Which of the ids are builds of other games with the same owner. Others are not looked up, as members of a game learn
 * nothing about the games of strangers.
 */
export function findBuildsElsewhere(db: Db, gameId: string, ids: readonly string[]): Promise<{ build_id: string }[]> {
  return rows(
    db,
    sql<{ build_id: string }>`select build_id from builds where build_id = any(${ids}::uuid[]) and game_id in (
        select other.game_id from games as other join games as own
          on other.owner_id = own.owner_id and other.game_id <> own.game_id
        where own.game_id = ${gameId})`,
  );
}

export async function deleteRefused(db: Db, before: string): Promise<void> {
  await changed(db, sql`delete from refused_builds where day < ${before}::date`);
}
