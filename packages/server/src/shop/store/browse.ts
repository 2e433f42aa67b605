// Searches for games by words, OS and tag, in pages, and lists the games of a developer.

import { errors } from '@chauffeur/contract/errors';
import { canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { GameSort } from '@chauffeur/contract/operations/shelves';
import * as contract from '@chauffeur/contract/operations/shelves';
import * as developers from '@chauffeur/contract/operations/shelves';
import { ANONYMOUS, type Context } from '../../context.ts';
import { DAY, SECOND, utcDayOf } from '../../kernel/clock.ts';
import { cacheFor } from '../../kernel/collections/cache.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { perContext } from '../../request/per-context.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import * as browse from './browse.sql.ts';
import { findDeveloper } from './browse.sql.ts';
import type { Candidate } from './shelf-rules.ts';
import { type FactsRow, factsOfGames } from './shelves.sql.ts';
import { CACHE_SECONDS, cardsOf } from './shelves.ts';

type Page = OutputOf<typeof contract.browseGames>;

const PAGE_SIZE = 24;
const EMPTY_PAGE: Page = { games: [], total: 0, next_cursor: null };

export const browseGames = handle(contract.browseGames, async (ctx, { caller, input }) => {
  const { q, tag, sort } = input;
  const os = input.os === undefined ? undefined : canonicalOs(input.os);
  const prefixQueries = q === undefined ? [] : prefixQueriesOf(q);
  // A text without letters or digits matches no game.
  const isWithoutWords = q !== undefined && prefixQueries.length === 0;
  const list = ['browse', prefixQueries, os ?? null, tag ?? null, sort ?? null];
  const after = readPosition(list, input.cursor, sort);
  if (isWithoutWords) return EMPTY_PAGE;
  const search = { os, tag, prefixQueries };
  return onReplica(ctx, { caller }, async (reader) => {
    const now = reader.clock.now();
    const [page, total] = await Promise.all([
      findGames(reader, list, search, { after, limit: input.limit, sort }),
      browse.countGames(reader.db, search, LIMITS.gamesCounted, now),
    ]);
    return { ...page, total };
  });
});

/** The games of one developer, by the rules of a search. */
export function browseGamesOf(
  ctx: Context,
  ownerId: string,
  { cursor, limit }: { cursor?: string; limit?: number },
): Promise<Omit<Page, 'total'>> {
  const list = ['developer', ownerId];
  const search = { os: undefined, tag: undefined, prefixQueries: [], ownerId };
  return findGames(ctx, list, search, { after: readPosition(list, cursor, undefined), limit, sort: undefined });
}

type PageInput = { after: browse.StorePosition | null; limit: number | undefined; sort: GameSort | undefined };

async function findGames(
  ctx: Reader,
  list: readonly unknown[],
  search: browse.StoreSearch,
  { after, limit = PAGE_SIZE, sort }: PageInput,
): Promise<Omit<Page, 'total'>> {
  const now = ctx.clock.now();
  const matches = await browse.searchGames(ctx.db, search, { sort, after, limit: limit + 1 }, now);
  const { page, last } = cutPage(matches, limit);
  return {
    games: await cardsOf(ctx, await candidatesOf(ctx, page, now)),
    next_cursor:
      last === null ? null : writeCursor(list, [last.named ? NAMED : NOT_NAMED, last.sort_key, last.game_id]),
  };
}

/** Says in a cursor that the last game of a page matched by its name, because such games come first. */
const NAMED = 'named';
const NOT_NAMED = 'not';

function readPosition(
  list: readonly unknown[],
  cursor: string | undefined,
  sort: GameSort | undefined,
): browse.StorePosition | null {
  if (cursor === undefined) return null;
  const [named, key = '', gameId = ''] = readCursor(list, cursor, ['text', KEY_FIELDS[sort ?? 'newest'], 'uuid']);
  return { named: named === NAMED, key, gameId };
}

const KEY_FIELDS = { newest: 'microseconds', updated: 'microseconds', downloads: 'bytes', name: 'text' } as const;

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

type Tags = OutputOf<typeof contract.listTags>;

const tagsOf = perContext(() => cacheFor<Tags>(CACHE_SECONDS * SECOND));

/** The result may be a minute old. */
export const listTags = handle(contract.listTags, (ctx) => {
  return tagsOf(ctx)(ctx.clock.now(), () =>
    onReplica(ctx, { caller: ANONYMOUS }, async ({ db, clock }) => ({
      tags: await browse.listTags(db, LIMITS.tagsListed, clock.now()),
    })),
  );
});

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** A search rarely has more words. Each one costs an index lookup. */
const MAX_WORDS = 8;

/**
 * Returns a tsquery for each word, which matches words with this prefix; a game has to match all of them. The index
 * folds only ASCII case, to be independent of the locale of the machine, so `мир` is searched as `мир`, `Мир` and
 * `МИР`.
 */
export function prefixQueriesOf(text: string): string[] {
  const words = new Set((text.normalize('NFC').match(WORD) ?? []).map((word) => word.toLowerCase()));
  return [...words].slice(0, MAX_WORDS).map(prefixQueryOf);
}

function prefixQueryOf(word: string): string {
  const [first = ''] = word;
  const spellings = [word, first.toUpperCase() + word.slice(first.length), word.toUpperCase()].map(foldAscii);
  return [...new Set(spellings)].map((spelling) => `'${spelling}':*`).join(' | ');
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export const getDeveloper = handle(developers.getDeveloper, async (ctx, { input: { handle, ...page } }) => {
  const developer = await findDeveloper(ctx.db, handle);
  if (developer === undefined) throw errors.notFound('handle: no developer has this handle.');
  return {
    handle: developer.handle,
    name: developer.name,
    since: developer.created_at.toISOString(),
    ...(await browseGamesOf(ctx, developer.id, page)),
  };
});

/** Counts the downloads of each game in the last 30 days, so that a list of games can be sorted by them. */
export const recentDownloadsJob = defineJob(
  'store:recent-downloads',
  { attempts: 5, cron: '37 * * * *', lane: 'long' },
  countRecentDownloads,
);

const DAYS = 30;

export async function countRecentDownloads(ctx: Context): Promise<void> {
  const since = utcDayOf(new Date(ctx.clock.now().getTime() - (DAYS - 1) * DAY));
  await transact(ctx.db, (tx) => browse.countRecentDownloads(tx, since));
}
