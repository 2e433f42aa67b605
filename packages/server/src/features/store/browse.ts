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
  const { q, tag, cursor, limit = PAGE_SIZE } = input;
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const questions = q === undefined ? [] : questionsOf(q);
  const list = ['browse', questions, os ?? null, tag ?? null];
  const after = cursor === undefined ? null : positionOf(readCursor(list, cursor, ['text', 'microseconds', 'uuid']));
  // Asked for signs alone, which no game is called.
  if (q !== undefined && questions.length === 0) return NOTHING;
  const now = ctx.clock.now();
  const found = await browse.listFound(ctx.db, { os, tag, questions }, { after, limit: limit + 1, now });
  const { page, last } = cutPage(found, limit);
  return {
    games: await cardsOf(ctx, await candidatesOf(ctx, page, now)),
    next_cursor:
      last === null ? null : writeCursor(list, [last.named ? NAMED : 'not', last.published_us, last.game_id]),
  };
}

const NAMED = 'named';

function positionOf([named, publishedUs = '', gameId = '']: string[]): browse.Position {
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
