// The SQL that finds builds, and registers the custom names that a game counts separately.
import { sql } from 'kysely';
import { type Db, rows, transact } from '../../../kernel/database/db.ts';

export type BuildRef = { gameId: string; buildId: string };
export type NamesOfGame = { gameId: string; names: readonly string[] };

/** Selects the builds that exist and whose game is not deleted. */
export function findBuilds(db: Db, builds: readonly BuildRef[]): Promise<BuildRef[]> {
  const column = (name: keyof BuildRef) => builds.map((build) => build[name]);
  return rows(
    db,
    sql<BuildRef>`select game_id as "gameId", build_id as "buildId" from builds join games using (game_id)
      where (game_id, build_id) in (select * from unnest(${column('gameId')}::uuid[], ${column('buildId')}::uuid[]))`,
  );
}

/**
 * Registers new names, up to `max` for each game, and returns which of the names are now registered, as
 * `<game>/<name>`. A lock on the game's names keeps concurrent calls within the limit. Nothing is registered for a
 * deleted game.
 */
export function registerNames(
  db: Db,
  namesOfGames: readonly NamesOfGame[],
  { max, now }: { max: number; now: Date },
): Promise<Set<string>> {
  const pairs = namesOfGames.flatMap(({ gameId, names }) => names.map((name) => [gameId, name] as const));
  const requested = sql`unnest(${pairs.map(([gameId]) => gameId)}::uuid[], ${pairs.map(([, name]) => name)}::text[])
    as requested (game_id, name)`;
  return transact(db, async (tx) => {
    await rows(
      tx,
      sql`select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended('event names/' || game_id, 0) as key from ${requested} order by key
      ) as keys`,
    );
    await rows(
      tx,
      sql`with unregistered as (
          select game_id, requested.name, row_number() over (partition by game_id order by requested.name) as place
          from ${requested} join games using (game_id)
          where not exists (select from event_names existing where existing.game_id = requested.game_id and existing.name = requested.name)
        )
        insert into event_names (game_id, name, first_seen)
        select game_id, name, ${now} from unregistered
        where place <= ${max}::integer - (select count(*) from event_names existing where existing.game_id = unregistered.game_id)`,
    );
    const registered = await rows(
      tx,
      sql<{ game_id: string; name: string }>`select game_id, name from event_names
        where (game_id, name) in (select game_id, name from ${requested})`,
    );
    return new Set(registered.map(({ game_id, name }) => `${game_id}/${name}`));
  });
}
