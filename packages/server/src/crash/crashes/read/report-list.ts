// Crash reports for developers: listed, searched and read.
import { canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/crash-reports';
import type { Db } from '../../../kernel/database/db.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { onReplica } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { findOldest } from './filters.sql.ts';
import { findFamily } from './group-list.sql.ts';
import { type QueryScope, reportConditions } from './query.ts';
import { crashSummaryOf } from './report.ts';
import * as reports from './report-list.sql.ts';
import {
  firstWindow,
  type GroupSearch,
  matchFunction,
  matchWords,
  nextWindow,
  windowBelow,
  windowsBack,
} from './search.ts';

type Filters = InputOf<typeof contract.listCrashes>;

const PAGE_SIZE = 50;

/** A page starts after the last report of the previous page, so new reports do not shift it. */
export const listCrashes = handle(contract.listCrashes, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { build_id, group_id, os, kind, text, frame, query, cursor, limit = PAGE_SIZE } = input;
  const given = [build_id, group_id, os, kind, text, frame, query].map((value) => value ?? null);
  const list = ['crashes', game.game_id, ...given];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const rows = await onReplica(ctx, { caller, gameId: game.game_id }, ({ db }) =>
    readPage({ db, gameId: game.game_id, caller, now: ctx.clock.now() }, input, { before, limit: limit + 1 }),
  );
  const { page, last } = cutPage(rows, limit);
  return {
    crashes: page.map(crashSummaryOf),
    next_cursor: last === null ? null : writeCursor(list, [last.report_id]),
  };
});

async function readPage(scope: QueryScope, filters: Filters, page: reports.ReportPage): Promise<reports.SummaryRow[]> {
  const { db, gameId } = scope;
  const { build_id, group_id, os, kind, text, frame, query } = filters;
  const {
    conditions: queried,
    checks,
    key,
    searches,
  } = query === undefined
    ? { conditions: [], checks: [], key: undefined, searches: [] }
    : await reportConditions(scope, query);
  if (text !== undefined) searches.push(matchWords(db, gameId, text));
  if (frame !== undefined) searches.push(await matchFunction(db, gameId, frame));
  const listPage = (groupId: string | undefined) => {
    const conditions = [
      ...reports.conditionsOf({
        buildId: build_id,
        groupId,
        os: os === undefined ? undefined : canonicalOs(os),
        kind,
      }),
      ...queried,
    ];
    const wanted = { conditions, checks, key };
    if (searches.length > 0) return searchPage(db, gameId, wanted, searches, page);
    if (checks.length > 0) return checkPage(db, gameId, wanted, page);
    return reports.listReports(db, gameId, wanted, { ...page, from: null });
  };
  if (group_id === undefined) return listPage(undefined);
  const [own = group_id, ...others] = await findFamily(db, gameId, group_id);
  if (others.length === 0) return listPage(own);
  // The index has the reports of each group in order.
  const pages = await Promise.all([own, ...others].map(listPage));
  const newestFirst = pages.flat().sort((a, b) => (a.report_id < b.report_id ? 1 : -1));
  return newestFirst.slice(0, page.limit);
}

/**
 * Reads the reports window by window: without a bound, the first match of each partition would be searched for, however
 * old.
 */
async function checkPage(
  db: Db,
  gameId: string,
  wanted: reports.Wanted,
  { before, limit }: reports.ReportPage,
): Promise<reports.SummaryRow[]> {
  const ends = await reports.findEnds(db, gameId, 'crash_reports');
  if (ends === undefined) return [];
  const found: reports.SummaryRow[] = [];
  for (const { from, to } of windowsBack({ oldest: ends.oldest, before: before ?? ends.before })) {
    found.push(...(await reports.listReports(db, gameId, wanted, { from, before: to, limit: limit - found.length })));
    if (found.length === limit) break;
  }
  return found;
}

/**
 * No index returns the matches of a search in the order of the list, and any number of reports may match. So this first
 * checks the newest reports, which is enough for common matches. For the rest it uses the search index, going back
 * further with each step, because each month has its own index, which is read as a whole. If the planner chose the
 * method, a wrong estimate would cost a scan of all reports.
 */
async function searchPage(
  db: Db,
  gameId: string,
  wanted: reports.Wanted,
  searches: readonly GroupSearch[],
  page: reports.ReportPage,
): Promise<reports.SummaryRow[]> {
  const conditions = [...wanted.conditions, ...wanted.checks];
  const { matches, reach } = await reports.checkNewest(db, gameId, wanted, searches, page);
  if (matches.length === page.limit || reach === null) return matches;
  const lists = searches.flatMap(({ values }) => (values === undefined ? [] : [values]));
  if (lists.length === searches.length)
    return searchValues(db, gameId, { conditions, lists }, { matches, reach, limit: page.limit });
  const search = async (from: string | null) => {
    const all = [...conditions, ...(await Promise.all(searches.map(({ inIndex }) => inIndex(from))))];
    return reports.searchReports(db, gameId, all, { ...page, from });
  };
  const first = firstWindow(reach.newest, reach.oldest);
  if (first === null) return search(null);
  const near = await search(first);
  if (near.length === page.limit) return near;
  const second = nextWindow(reach.newest, first, near.length / page.limit);
  const further = second === null ? near : await search(second);
  return further.length === page.limit ? further : search(null);
}

/** Searches further back by values of facets, window by window. Their index finds the reports of each day. */
async function searchValues(
  db: Db,
  gameId: string,
  conditions: { conditions: readonly reports.Condition[]; lists: readonly (readonly number[])[] },
  checked: { matches: readonly reports.SummaryRow[]; reach: { newest: string; oldest: string }; limit: number },
): Promise<reports.SummaryRow[]> {
  const found = [...checked.matches];
  const { reach, limit } = checked;
  const oldest = await findOldest(db, gameId);
  for (let to = reach.oldest; oldest !== null && to > oldest && found.length < limit; ) {
    const from = windowBelow(reach.newest, to, { found: found.length, wanted: limit });
    const window = { from: from === null || from < oldest ? oldest : from, to };
    found.push(...(await reports.searchValues(db, gameId, conditions, { window, limit: limit - found.length })));
    to = window.from;
  }
  return found;
}
