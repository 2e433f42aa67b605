// Searches in crash reports: by words of their texts, and by names of functions on their stacks. No index returns the
// matches of a search in the order of the list, so a search goes back in steps. The rules below decide how far each
// goes.
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { type Db, onlyRow, row } from '../../../kernel/database/db.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';

/** One condition on reports, in two equivalent forms. */
export type GroupSearch = {
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
export async function matchFunction(db: Db, gameId: string, part: string): Promise<GroupSearch> {
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
export function matchWords(db: Db, gameId: string, text: string): GroupSearch {
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

/** A step goes back at most this many times as far as the previous one; after that, everything is searched. */
const MAX_FACTOR = 20;
/** Matches are not evenly distributed, so a window is twice as long as the average distance suggests. */
const SAFETY_FACTOR = 2;
/** Reports that arrived within a shorter time say little about the usual rate. */
const MIN_SPAN_MS = 1000;

/**
 * The lower bound of report ids for the first step of a search, after the reports from `newest` to `oldest` were
 * checked; null for no bound. If that did not find a full page, this window has a few hundred matches at most.
 */
export function firstWindow(newest: string, oldest: string): string | null {
  const checked = Math.max(MIN_SPAN_MS, timeOfId(newest) - timeOfId(oldest));
  return boundAt(timeOfId(newest) - checked * MAX_FACTOR);
}

/**
 * The bound for the next step, after the search back to `from` found `share` of a page: far enough to find the rest.
 * Null (no bound) if that is much further, because there are probably few matches in total.
 */
export function nextWindow(newest: string, from: string, share: number): string | null {
  const times = SAFETY_FACTOR / share;
  if (times > MAX_FACTOR) return null;
  return boundAt(timeOfId(newest) - (timeOfId(newest) - timeOfId(from)) * times);
}

/**
 * The lower bound of the window below `to`, after the newest reports down to `to` had `found` reports of a page of
 * `wanted`; null for no bound. A search by values reads whole days.
 */
export function windowBelow(
  newest: string,
  to: string,
  { found, wanted }: { found: number; wanted: number },
): string | null {
  const searched = Math.max(MIN_SPAN_MS, timeOfId(newest) - timeOfId(to));
  const times = found === 0 ? MAX_FACTOR : Math.min(MAX_FACTOR, (SAFETY_FACTOR * (wanted - found)) / found);
  return boundAt(timeOfId(to) - Math.max(DAY, searched * times));
}

/** How many times longer the next window is. */
const FACTOR = 4;

/**
 * Windows of report ids, from the one below `before` on back to `oldest`. The first is `length` ms long, and at least a
 * day.
 */
export function* windowsBack(
  { oldest, before }: { readonly oldest: string; readonly before: string },
  length: number = DAY,
): Generator<{ readonly from: string; readonly to: string }> {
  let to = before;
  for (let next = Math.max(DAY, length); to > oldest; next *= FACTOR) {
    const bound = boundAt(timeOfId(to) - next);
    const from = bound === null || bound < oldest ? oldest : bound;
    yield { from, to };
    to = from;
  }
}

function boundAt(time: number): string | null {
  return time > 0 ? firstIdAt(Math.floor(time)) : null;
}
