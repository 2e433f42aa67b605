// The SQL of the search: words of what was said of a crash, and names of functions on its stack.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, onlyRow, row } from '../../../kernel/db.ts';

/** One condition on reports, written in two ways that match the same. */
export type Search = {
  /** Cheap for a report that is at hand. */
  readonly inRow: RawBuilder<unknown>;
  /** Found by an index, without looking at other reports. Only where it is needed: it may have to be worked out. */
  readonly inIndex: () => Promise<RawBuilder<unknown>>;
};

/**
 * Keeps the names of functions, seen on `day` (UTC, `2026-11-30`), so that a search by a part of one finds them. Safe to repeat; to be called
 * before their report is stored.
 */
export async function rememberFunctions(
  db: Db,
  gameId: string,
  functions: readonly string[],
  day: string,
): Promise<void> {
  if (functions.length === 0) return;
  // In one order, so that two that keep the same names at once do not wait for each other.
  await changed(
    db,
    sql`insert into crash_functions (game_id, function, seen_on)
      select distinct on (function collate "C") ${gameId}::uuid, function, ${day}::date
      from unnest(${functions}::text[]) as given (function) order by function collate "C"
      on conflict (game_id, function) do update set seen_on = excluded.seen_on
        where crash_functions.seen_on < excluded.seen_on`,
  );
}

/**
 * Reports with a function whose name contains `part`, in either case of ASCII letters. An index of the reports can only find whole names,
 * so the game's names that contain it are found first.
 */
export async function matchFunction(db: Db, gameId: string, part: string): Promise<Search> {
  const { names, keys } = await onlyRow(
    db,
    sql<{ names: string[]; keys: string[] }>`
      select coalesce(array_agg(function), '{}') as names, crash_function_keys(${gameId}, coalesce(array_agg(function), '{}'))::text[] as keys
      from crash_functions where game_id = ${gameId} and strpos(folded, lower(${part})) > 0`,
  );
  return {
    // Comparing two arrays takes as many steps as one has names times the other; here each name is looked up in a hash.
    inRow: sql`exists (select from unnest(functions) as named (name) where name = any(${names}::text[]))`,
    inIndex: async () => sql`functions <> '{}' and crash_function_keys(game_id, functions) && ${keys}::bigint[]`,
  };
}

/**
 * Reports in whose signature, message and player's message every word of `text` begins a word. The database takes both texts apart by the
 * same rule; a text without a word matches nothing.
 */
export function matchWords(db: Db, gameId: string, text: string): Search {
  const condition = sql`words @@ crash_query(${text})`;
  return {
    inRow: condition,
    async inIndex() {
      const rare = await findRareWord(db, gameId, text);
      // An index of words would collect every report that has the others. Written so, they are looked for only in those found.
      return rare === undefined ? condition : sql`words @@ ${rare}::tsquery and (${condition}) is true`;
    },
  };
}

/** Of several words, the query for the one that the fewest of the newest reports have, if that is hardly any. */
async function findRareWord(db: Db, gameId: string, text: string): Promise<string | undefined> {
  const found = await row(
    db,
    sql<{ query: string }>`
      with word as materialized (
        -- As crash_query makes it of each.
        select (quote_literal(word) || ':*')::tsquery as query, count(*) over () as together
        from unnest(tsvector_to_array(crash_words(${text}))) as word
      ), newest as materialized (
        select words from crash_reports where game_id = ${gameId} order by report_id desc limit ${NEWEST}
      )
      select query::text from word left join newest on words @@ query where together > 1
      group by query having count(words) <= ${HARDLY_ANY} order by count(words) limit 1`,
  );
  return found?.query;
}

const NEWEST = 1000;
/** Of these. More would be found by the rare word than are soon looked through. */
const HARDLY_ANY = 2;
