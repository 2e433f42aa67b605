// The SQL that finds builds, and registers the custom names that a game counts separately.
import { sql } from 'kysely';
import { type Db, rows, type Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame, transactOfGames } from '../../../kernel/database/shards.ts';

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
  return transactOfGames(db, async (tx) => {
    const gameIds = namesOfGames.map(({ gameId }) => gameId);
    await rows(
      tx,
      sql`select pg_advisory_xact_lock(key) from (
        select hashtextextended('event names/' || game_id, 0) as key from unnest(${gameIds}::uuid[]) as game_id order by key
      ) as keys`,
    );
    const existing = await rows(
      tx,
      sql<{ game_id: string }>`select game_id from games where game_id = any(${gameIds}::uuid[])`,
    );
    const live = new Set(existing.map(({ game_id }) => game_id));
    const registered = new Set<string>();
    for (const { gameId, names } of namesOfGames) {
      if (live.has(gameId)) await insertNames(tx, gameId, names, { max, now });
      const found = await rows(
        tx,
        sql<{ name: string }>`select name from event_names where game_id = ${gameId} and name = any(${names}::text[])`,
      );
      for (const { name } of found) registered.add(`${gameId}/${name}`);
    }
    return registered;
  });
}

async function insertNames(
  tx: Tx,
  gameId: string,
  names: readonly string[],
  { max, now }: { max: number; now: Date },
): Promise<void> {
  const ofGame = sql`game_id = ${gameId}::uuid`;
  await rowsOfGame(
    tx,
    gameId,
    sql`with unregistered as (
        select name, row_number() over (order by name) as place from unnest(${names}::text[]) as requested (name)
        where not exists (select from event_names as existing where existing.${ofGame} and existing.name = requested.name)
      )
      insert into event_names (game_id, name, first_seen)
      select ${gameId}::uuid, name, ${now}::timestamptz from unregistered
      where place <= ${max}::integer - (select count(*) from event_names where ${ofGame})
      returning name`,
  );
}
