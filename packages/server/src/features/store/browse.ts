// Searches for games by words, OS and tag, in pages.
import { canonicalOs } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/browse';
import type { Context } from '../../context.ts';
import type { Call } from '../../request/call.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { type Reader, readReplica } from '../../request/read-replica.ts';
import * as browse from './browse.sql.ts';
import { prefixQueriesOf } from './search-words.ts';
import type { Candidate } from './shelf-rules.ts';
import { type FactsRow, factsOfGames } from './shelves.sql.ts';
import { cardsOf } from './shelves.ts';

type Page = OutputOf<typeof contract.browseGames>;

const PAGE_SIZE = 24;
const EMPTY_PAGE: Page = { games: [], next_cursor: null };

export async function browseGames(ctx: Context, { caller, input }: Call<typeof contract.browseGames>): Promise<Page> {
  const { q, tag } = input;
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const prefixQueries = q === undefined ? [] : prefixQueriesOf(q);
  // Text without letters or digits matches no game.
  const isWithoutWords = q !== undefined && prefixQueries.length === 0;
  const list = ['browse', prefixQueries, os ?? null, tag ?? null];
  const after = readPosition(list, input.cursor);
  if (isWithoutWords) return EMPTY_PAGE;
  return readReplica(ctx, { caller }, (reader) =>
    findGames(reader, list, { os, tag, prefixQueries }, { after, limit: input.limit }),
  );
}

/** The games of one developer, by the rules of a search. */
export function browseGamesOf(
  ctx: Context,
  ownerId: string,
  { cursor, limit }: { cursor?: string; limit?: number },
): Promise<Page> {
  const list = ['developer', ownerId];
  const search = { os: undefined, tag: undefined, prefixQueries: [], ownerId };
  return findGames(ctx, list, search, { after: readPosition(list, cursor), limit });
}

async function findGames(
  ctx: Reader,
  list: readonly unknown[],
  search: browse.Search,
  { after, limit = PAGE_SIZE }: { after: browse.Position | null; limit: number | undefined },
): Promise<Page> {
  const now = ctx.clock.now();
  const matches = await browse.searchGames(ctx.db, search, { after, limit: limit + 1, now });
  const { page, last } = cutPage(matches, limit);
  return {
    games: await cardsOf(ctx, await candidatesOf(ctx, page, now)),
    next_cursor:
      last === null ? null : writeCursor(list, [last.named ? NAMED : NOT_NAMED, last.published_us, last.game_id]),
  };
}

/** In cursors: whether the last game of a page matched by its name, because such games come first. */
const NAMED = 'named';
const NOT_NAMED = 'not';

function readPosition(list: readonly unknown[], cursor: string | undefined): browse.Position | null {
  if (cursor === undefined) return null;
  const [named, publishedUs = '', gameId = ''] = readCursor(list, cursor, ['text', 'microseconds', 'uuid']);
  return { named: named === NAMED, publishedUs, gameId };
}

/** The candidates in the order of the matches. */
async function candidatesOf(ctx: Reader, matches: readonly browse.MatchRow[], now: Date): Promise<Candidate[]> {
  const ids = matches.map(({ game_id }) => game_id);
  const facts = new Map((await factsOfGames(ctx.db, ids, now)).map((row) => [row.game_id, row]));
  return ids.flatMap((id) => facts.get(id) ?? []).filter(isOffered);
}

/** A match may have been withdrawn since the search. */
function isOffered(row: FactsRow): row is FactsRow & Candidate {
  return row.published_at !== null && row.offers.length > 0;
}
