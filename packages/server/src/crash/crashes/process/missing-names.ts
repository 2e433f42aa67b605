// The names under which reports list the modules and scripts that they miss.
import { type RawBuilder, sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';

/** Reports of each build that are searched for names of a module. */
const NAMED_REPORTS = 500;

/** A module has a few names. Forged dumps can have any number. */
const MAX_NAMES = 50;

/**
 * The most frequent names under which the newest reports of these builds were missing symbols with one of the ids:
 * `name/id` in lower case. Each report names a module as the player's system does, such as by the APK that contains it.
 */
export async function listMissingNames(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (buildIds.length === 0) return [];
  const newest = sql`unnest(${buildIds}::uuid[]) as build (build_id)
      cross join lateral (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and crash_reports.build_id = build.build_id and missing_symbols <> '{}'
        order by report_id desc limit ${NAMED_REPORTS}
      ) newest`;
  return await listNames(db, newest, ids);
}

/** The same for the newest reports of the game, whatever their builds, for symbols that belong to none. */
export async function listNamesOfGame(db: Db, gameId: string, ids: readonly string[]): Promise<string[]> {
  const newest = sql`(
        select missing_symbols from crash_reports
        where game_id = ${gameId} and missing_symbols <> '{}'
        order by report_id desc limit ${NAMED_REPORTS}
      ) newest`;
  return await listNames(db, newest, ids);
}

async function listNames(db: Db, newest: RawBuilder<unknown>, ids: readonly string[]): Promise<string[]> {
  const names = await rows(
    db,
    sql<{ name: string }>`select lower(name) as name from ${newest} cross join unnest(missing_symbols) as missing (name)
      where substring(lower(name) from '[^/]*$') = any(${ids.map((id) => id.toLowerCase()).filter(Boolean)}::text[])
      group by 1 order by count(*) desc limit ${MAX_NAMES}`,
  );
  return names.map(({ name }) => name);
}
