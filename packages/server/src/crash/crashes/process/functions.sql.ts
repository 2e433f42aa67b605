// The SQL that keeps the names of functions for the search.
import { sql } from 'kysely';
import { changed, type Db } from '../../../kernel/database/db.ts';

/** Writes the names of functions, seen on `day` (UTC, `2026-11-30`). Safe to repeat. */
export async function rememberFunctions(
  db: Db,
  gameId: string,
  functions: readonly string[],
  day: string,
): Promise<void> {
  if (functions.length === 0) return;
  // Ordered, so two transactions that write the same names cannot deadlock.
  await changed(
    db,
    sql`insert into crash_functions (game_id, function, seen_on)
      select distinct on (function collate "C") ${gameId}::uuid, function, ${day}::date
      from unnest(${functions}::text[]) as named (function) order by function collate "C"
      on conflict (game_id, function) do update set seen_on = excluded.seen_on
        where crash_functions.seen_on < excluded.seen_on`,
  );
}
