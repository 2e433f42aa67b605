// The SQL that tells which builds there are, and which custom names of a game are counted each for itself.
import { sql } from 'kysely';
import { type Db, keepPlan, rows, transact } from '../../../kernel/db.ts';

export type BuildRef = { gameId: string; buildId: string };
export type NamesOfGame = { gameId: string; names: readonly string[] };

export function findBuilds(db: Db, builds: readonly BuildRef[]): Promise<BuildRef[]> {
  const column = (name: keyof BuildRef) => builds.map((build) => build[name]);
  return rows(
    db,
    sql<BuildRef>`select game_id as "gameId", build_id as "buildId" from builds join games using (game_id)
      where (game_id, build_id) in (select * from unnest(${column('gameId')}::uuid[], ${column('buildId')}::uuid[]))`,
  );
}

/** The games that are deleted and whose rows are not all removed yet: a handful at most. */
export async function findDeletedGames(db: Db): Promise<ReadonlySet<string>> {
  const found = await rows(
    db,
    keepPlan(sql<{ game_id: string }>`select game_id from all_games where deleted_at is not null`),
  );
  return new Set(found.map(({ game_id }) => game_id));
}

/**
 * Registers those of the names that are new, as far as the game has room for them; answers which of all are registered then, as
 * `<game>/<name>`. Names of one game are registered one after the other, so that it never has more than `most`.
 */
export function registerNames(
  db: Db,
  asked: readonly NamesOfGame[],
  { most, now }: { most: number; now: Date },
): Promise<Set<string>> {
  const pairs = asked.flatMap(({ gameId, names }) => names.map((name) => [gameId, name] as const));
  const given = sql`unnest(${pairs.map(([gameId]) => gameId)}::uuid[], ${pairs.map(([, name]) => name)}::text[])
    as given (game_id, name)`;
  return transact(db, async (tx) => {
    await rows(
      tx,
      sql`select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended('event names/' || game_id, 0) as key from ${given} order by key
      ) as keys`,
    );
    await rows(
      tx,
      sql`with fresh as (
          select game_id, name, row_number() over (partition by game_id order by name) as place from ${given}
          where not exists (select from event_names known where known.game_id = given.game_id and known.name = given.name)
        )
        insert into event_names (game_id, name, first_seen)
        select game_id, name, ${now} from fresh
        where place <= ${most}::integer - (select count(*) from event_names known where known.game_id = fresh.game_id)`,
    );
    const found = await rows(
      tx,
      sql<{ game_id: string; name: string }>`select game_id, name from event_names
        where (game_id, name) in (select game_id, name from ${given})`,
    );
    return new Set(found.map(({ game_id, name }) => `${game_id}/${name}`));
  });
}
