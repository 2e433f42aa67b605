// What a batch of events looks up: which of its builds exist, and under which names its events are counted. Both are
// cached for a minute, so most batches need no query.
//
// An event is counted under its own name if that is standard or among the game's first custom names, and otherwise
// under a shared one.

import { LIMITS } from '@chauffeur/contract/limits';
import { OTHER_EVENTS } from '@chauffeur/contract/operations/events';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { createRecent, type Recent } from '../../../kernel/collections/cache.ts';
import { type Db, rows, type Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame, transactOfGames } from '../../../kernel/database/shards.ts';
import { perContext } from '../../../request/per-context.ts';
import type { BuildEvents } from './accept-events.ts';
import { isStandard } from './event.ts';

type BuildRef = Pick<BuildEvents, 'gameId' | 'buildId'>;

/**
 * Events of a deleted build are still accepted for this long. Events of a deleted game are refused by `writeBatch`.
 */
const CACHED_MS = MINUTE;
const MAX_BUILDS = 10_000;

/** When each build was last looked up successfully, the oldest first. */
const lookupTimes = perContext(() => new Map<string, number>());

/** The keys (see `keyOf`) of the builds that exist. */
export async function findExistingBuilds(ctx: Context, builds: readonly BuildRef[]): Promise<ReadonlySet<string>> {
  const times = lookupTimes(ctx);
  const now = ctx.clock.now().getTime();
  const [existing, unconfirmed] = [new Set<string>(), new Map<string, BuildRef>()];
  for (const build of builds) {
    const key = buildRefKey(build);
    const age = now - (times.get(key) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < CACHED_MS) existing.add(key);
    else unconfirmed.set(key, build);
  }
  if (unconfirmed.size === 0) return existing;
  for (const key of unconfirmed.keys()) times.delete(key);
  for (const build of await findBuilds(ctx.db, [...unconfirmed.values()])) {
    existing.add(buildRefKey(build));
    times.set(buildRefKey(build), now);
  }
  for (const key of times.keys().take(Math.max(0, times.size - MAX_BUILDS))) times.delete(key);
  return existing;
}

/** Forgets the builds of deleted games. */
export function forgetGames(ctx: Context, gameIds: readonly string[]): void {
  const times = lookupTimes(ctx);
  for (const key of times.keys()) if (gameIds.some((gameId) => key.startsWith(`${gameId}/`))) times.delete(key);
}

export function buildRefKey({ gameId, buildId }: BuildRef): string {
  return `${gameId}/${buildId}`;
}

/** The registered names of a game that this process has seen. `isFull` if the game cannot register more. */
type GameNames = { readonly since: number; readonly registered: Set<string>; isFull: boolean };

const MAX_GAMES = 1000;

const gamesOf = perContext(() => createRecent<string, GameNames>(MAX_GAMES));

/**
 * Returns the function that maps an event's name to the name it is counted under. Registers new names first, up to the
 * game's limit.
 */
export async function countedNames(
  ctx: Context,
  perBuild: readonly BuildEvents[],
): Promise<(gameId: string, name: string) => string> {
  const games = gamesOf(ctx);
  const now = ctx.clock.now();
  const unregistered = new Map<string, Set<string>>();
  for (const { gameId, events } of perBuild) {
    const { registered, isFull } = namesOf(games, gameId, now.getTime());
    for (const { event } of events) {
      if (isStandard(event) || registered.has(event) || isFull) continue;
      const names = unregistered.get(gameId) ?? new Set<string>();
      unregistered.set(gameId, names.add(event));
    }
  }
  if (unregistered.size > 0) {
    const namesOfGames = [...unregistered].map(([gameId, names]) => ({ gameId, names: [...names] }));
    await register(ctx, games, namesOfGames, now);
  }
  return (gameId, name) => (isStandard(name) || games.get(gameId)?.registered.has(name) ? name : OTHER_EVENTS);
}

async function register(
  ctx: Context,
  games: Recent<string, GameNames>,
  namesOfGames: readonly NamesOfGame[],
  now: Date,
): Promise<void> {
  const registered = await registerNames(ctx.db, namesOfGames, { max: LIMITS.eventNames, now });
  for (const { gameId, names } of namesOfGames) {
    const entry = namesOf(games, gameId, now.getTime());
    for (const name of names) {
      if (registered.has(`${gameId}/${name}`)) entry.registered.add(name);
      else entry.isFull = true;
    }
  }
}

/** Forgets the names of a game after a minute, because other processes register names and jobs delete them. */
function namesOf(games: Recent<string, GameNames>, gameId: string, now: number): GameNames {
  const existing = games.get(gameId);
  if (existing !== undefined && now >= existing.since && now - existing.since < CACHED_MS) return existing;
  const names: GameNames = { since: now, registered: new Set(), isFull: false };
  games.set(gameId, names);
  return names;
}

type NamesOfGame = { gameId: string; names: readonly string[] };

/** Selects the builds that exist and whose game is not deleted. */
function findBuilds(db: Db, builds: readonly BuildRef[]): Promise<BuildRef[]> {
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
function registerNames(
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
        select name, row_number() over (order by name) as rank from unnest(${names}::text[]) as requested (name)
        where not exists (select from event_names as existing where existing.${ofGame} and existing.name = requested.name)
      )
      insert into event_names (game_id, name, first_seen)
      select ${gameId}::uuid, name, ${now}::timestamptz from unregistered
      where rank <= ${max}::integer - (select count(*) from event_names where ${ofGame})
      returning name`,
  );
}
