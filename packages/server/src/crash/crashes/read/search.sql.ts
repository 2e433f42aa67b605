// The SQL of the search in crash reports: by words of their texts, and by names of functions on their stacks.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, row } from '../../../kernel/database/db.ts';

/** One condition on reports, in two equivalent forms. */
export type Search = {
  /** Fast on rows that were already read. */
  readonly inRow: RawBuilder<unknown>;
  /**
   * Can use an index, for reports from the id `from` on. This is a function because building the condition may take a
   * query.
   */
  readonly inIndex: (from: string | null) => Promise<RawBuilder<unknown>>;
  /** Values of facets, if the condition is to have one of them: their index also finds reports day by day. */
  readonly values?: readonly number[];
};

/**
 * Matches reports with a function whose name contains `part`; the case of ASCII letters does not matter. The index of
 * reports only finds whole names, so the names of the game that contain `part` are looked up first.
 */
export async function matchFunction(db: Db, gameId: string, part: string): Promise<Search> {
  const { names, keys } = await onlyRow(
    db,
    sql<{ names: string[]; keys: string[] }>`
      select coalesce(array_agg(function), '{}') as names, crash_function_keys(${gameId}, coalesce(array_agg(function), '{}'))::text[] as keys
      from crash_functions where game_id = ${gameId} and strpos(folded, lower(${part})) > 0`,
  );
  return {
    // Faster than comparing arrays, because each name is looked up in a hash table.
    inRow: sql`exists (select from unnest(functions) as named (name) where name = any(${names}::text[]))`,
    // The keys are in a subquery because the planner must not see them: it would expect that most lists have one of a
    // thousand keys, and compare each list of the window with them instead of using the index.
    inIndex: async () =>
      sql`functions <> '{}' and crash_function_keys(game_id, functions) && (select ${keys}::bigint[])`,
  };
}

/**
 * Matches reports if each word of `text` is a prefix of a word in their signature, message or the player's message. The
 * database splits all texts by the same rules. A text without words matches nothing.
 */
export function matchWords(db: Db, gameId: string, text: string): Search {
  const condition = sql`words @@ crash_query(${text})`;
  return {
    inRow: condition,
    async inIndex() {
      const rare = await findRareWord(db, gameId, text);
      // Only the rare word uses the index; the other words are checked in the reports that have it.
      return rare === undefined ? condition : sql`words @@ ${rare}::tsquery and (${condition}) is true`;
    },
  };
}

/** If `text` has several words, and one of them is rare in the newest reports, returns the query for that word. */
async function findRareWord(db: Db, gameId: string, text: string): Promise<string | undefined> {
  const rarest = await row(
    db,
    sql<{ query: string }>`
      with word as materialized (
        -- The same form as in crash_query.
        select (quote_literal(word) || ':*')::tsquery as query, count(*) over () as together
        from unnest(tsvector_to_array(crash_words(${text}))) as word
      ), newest as materialized (
        select words from crash_reports where game_id = ${gameId} order by report_id desc limit ${COUNTED_REPORTS}
      )
      select query::text from word left join newest on words @@ query where together > 1
      group by query having count(words) <= ${MAX_RARE} order by count(words) limit 1`,
  );
  return rarest?.query;
}

/** The number of newest reports in which the words are counted. */
const COUNTED_REPORTS = 1000;
/** A word is rare if at most this many of them have it. With more, checking the other words would take too long. */
const MAX_RARE = 2;
