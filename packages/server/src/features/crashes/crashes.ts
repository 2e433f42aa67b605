// Crash reports as developers see them: listed, searched, read, deleted. The front door of the feature, whose rooms are
// receive/ (what games send), process/ (dumps to stacks), groups/ (reports to causes), read/ (for developers), keep/ (months and files).
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crashes';
import { type RawBuilder, sql } from 'kysely';
import type { AccountCaller, Context } from '../../context.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import type { Db } from '../../kernel/db.ts';
import { requireMember } from '../games/games.ts';
import { detachReports, transactGroups } from './groups/groups.sql.ts';
import { dropBlobs } from './keep/blobs.ts';
import { unknownCrash } from './read/downloads.ts';
import * as groups from './read/group-list.sql.ts';
import { explainMissing } from './read/missing-symbols.ts';
import * as reports from './read/reading.sql.ts';
import { crashOf, summaryOf } from './read/record.ts';
import { matchFunction, matchWords, type Search } from './read/search.sql.ts';
import { firstWindow, nextWindow } from './read/search-windows.ts';

type Filters = InputOf<typeof contract.listCrashes>;
type CrashInput = { uid: string; crash_id: string };

const PAGE_SIZE = 50;

/** A page begins behind the last report of the one before, so reports that arrive meanwhile move nothing. */
export async function listCrashes(
  ctx: Context,
  caller: AccountCaller,
  input: Filters,
): Promise<OutputOf<typeof contract.listCrashes>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { build_id, group_id, os, text, frame, cursor, limit = PAGE_SIZE } = input;
  const list = ['crashes', game.game_id, ...[build_id, group_id, os, text, frame].map((value) => value ?? null)];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const found = await readPage(ctx.db, game.game_id, input, { before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    crashes: page.map(summaryOf),
    next_cursor: last === null ? null : writeCursor(list, [last.report_id]),
  };
}

async function readPage(db: Db, gameId: string, filters: Filters, page: reports.Page): Promise<reports.SummaryRow[]> {
  const { build_id, group_id, os, text, frame } = filters;
  // Only what is asked for: the planner then chooses the index that serves it.
  const conditions: RawBuilder<unknown>[] = [];
  if (build_id !== undefined) conditions.push(sql`build_id = ${build_id}`);
  if (group_id !== undefined) conditions.push(sql`group_id = ${group_id}`);
  if (os !== undefined) conditions.push(sql`os = ${canonicalOs(os)}`);
  const searches: Search[] = [];
  if (text !== undefined) searches.push(matchWords(db, gameId, text));
  if (frame !== undefined) searches.push(await matchFunction(db, gameId, frame));
  if (searches.length === 0) return reports.listReports(db, gameId, conditions, page);
  return searchPage(db, gameId, conditions, searches, page);
}

/**
 * No index has the matches of a search in the order of the list, and what is asked for may be in every report or in none. So the newest
 * are looked through, which is enough for what is common; for the rest the index is asked, ever further back: each month has one of its
 * own, which is read as a whole. Left to the planner, a wrong guess costs a walk through all reports.
 */
async function searchPage(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  searches: readonly Search[],
  page: reports.Page,
): Promise<reports.SummaryRow[]> {
  const { found, reach } = await reports.lookThroughNewest(db, gameId, conditions, searches, page);
  if (found.length === page.limit || reach === null) return found;
  const all = [...conditions, ...(await Promise.all(searches.map(({ inIndex }) => inIndex())))];
  const search = (from: string | null) => reports.searchReports(db, gameId, all, { ...page, from });
  const first = firstWindow(reach.newest, reach.oldest);
  if (first === null) return search(null);
  const near = await search(first);
  if (near.length === page.limit) return near;
  const second = nextWindow(reach.newest, first, near.length / page.limit);
  const further = second === null ? near : await search(second);
  return further.length === page.limit ? further : search(null);
}

export async function getCrash(
  ctx: Context,
  caller: AccountCaller,
  input: CrashInput,
): Promise<OutputOf<typeof contract.getCrash>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const report = await reports.findReport(ctx.db, game.game_id, input.crash_id);
  if (report === undefined) throw unknownCrash();
  return crashOf(report, await explainMissing(ctx, game.game_id, report.build_id, report.missing_symbols));
}

/** The report leaves its group, which counts it no more, and is gone with its dump, log and stack. */
export async function deleteCrash(
  ctx: Context,
  caller: AccountCaller,
  input: CrashInput,
): Promise<{ deleted: boolean }> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const files = await transactGroups(ctx.db, async (tx) => {
    await detachReports(tx, game.game_id, [input.crash_id]);
    return reports.deleteReport(tx, game.game_id, input.crash_id);
  });
  if (files === undefined) throw unknownCrash();
  ctx.log.info({ game: game.game_id, crash: input.crash_id, user: caller.user.id }, 'crash report deleted');
  await dropBlobs(ctx, files);
  return { deleted: true };
}

/** How many open groups of each of these games were first seen after its newest build was registered. */
export async function countNewGroups(
  { db }: Context,
  gameIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await groups.countNewGroups(db, gameIds);
  return new Map(found.map(({ game_id, count }) => [game_id, count]));
}

/** Of these reports of the game, those that are kept. */
export function existingReports(ctx: Context, gameId: string, reportIds: readonly string[]): Promise<Set<string>> {
  return reports.existingReports(ctx.db, gameId, reportIds);
}
