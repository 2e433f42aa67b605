// Looking for games by words, system and tag, page by page.
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/browse';
import type { Caller, Context } from '../../context.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import * as browse from './browse.sql.ts';
import { questionsOf } from './search-words.ts';
import type { Candidate } from './shelf-rules.ts';
import { type FactsRow, factsOfGames } from './shelves.sql.ts';
import { cardsOf } from './shelves.ts';

type Found = OutputOf<typeof contract.browseGames>;

const PAGE_SIZE = 24;
const NOTHING: Found = { games: [], next_cursor: null };

export async function browseGames(
  ctx: Context,
  _caller: Caller,
  input: InputOf<typeof contract.browseGames>,
): Promise<Found> {
  const { q, tag } = input;
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const questions = q === undefined ? [] : questionsOf(q);
  // Asked for signs alone, which no game is called.
  const isNothing = q !== undefined && questions.length === 0;
  const list = ['browse', questions, os ?? null, tag ?? null];
  const after = readPosition(list, input.cursor);
  return isNothing ? NOTHING : findGames(ctx, list, { os, tag, questions }, { after, limit: input.limit });
}

/** The games of one developer, as browsing finds them. */
export function browseGamesOf(
  ctx: Context,
  ownerId: string,
  { cursor, limit }: { cursor?: string; limit?: number },
): Promise<Found> {
  const list = ['developer', ownerId];
  const wanted = { os: undefined, tag: undefined, questions: [], ownerId };
  return findGames(ctx, list, wanted, { after: readPosition(list, cursor), limit });
}

async function findGames(
  ctx: Context,
  list: readonly unknown[],
  wanted: browse.Wanted,
  { after, limit = PAGE_SIZE }: { after: browse.Position | null; limit: number | undefined },
): Promise<Found> {
  const now = ctx.clock.now();
  const found = await browse.listFound(ctx.db, wanted, { after, limit: limit + 1, now });
  const { page, last } = cutPage(found, limit);
  return {
    games: await cardsOf(ctx, await candidatesOf(ctx, page, now)),
    next_cursor:
      last === null ? null : writeCursor(list, [last.named ? NAMED : 'not', last.published_us, last.game_id]),
  };
}

const NAMED = 'named';

function readPosition(list: readonly unknown[], cursor: string | undefined): browse.Position | null {
  if (cursor === undefined) return null;
  const [named, publishedUs = '', gameId = ''] = readCursor(list, cursor, ['text', 'microseconds', 'uuid']);
  return { named: named === NAMED, publishedUs, gameId };
}

/** In the order that they were found in. */
async function candidatesOf(ctx: Context, found: readonly browse.FoundRow[], now: Date): Promise<Candidate[]> {
  const ids = found.map(({ game_id }) => game_id);
  const facts = new Map((await factsOfGames(ctx.db, ids, now)).map((row) => [row.game_id, row]));
  return ids.flatMap((id) => facts.get(id) ?? []).filter(isOffered);
}

/** Until a moment ago it was, or it would not have been found. */
function isOffered(row: FactsRow): row is FactsRow & Candidate {
  return row.published_at !== null && row.offers.length > 0;
}
