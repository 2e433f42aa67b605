// Selects the newest reports of a query, to count whom they hit.
import { LIMITS } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { withValues } from './facet-filters.sql.ts';
import * as impact from './impact.sql.ts';
import { type QueryScope, reportConditions } from './query.ts';
import { findEnds, type Wanted } from './report-list.sql.ts';
import type { Search } from './search.sql.ts';
import { windowsBack } from './search-windows.ts';

type Selection = {
  readonly buildId: string | undefined;
  readonly query: string | undefined;
  /** The group, and those merged with it; empty for all groups. */
  readonly family: readonly string[];
};

/** Selects at most one more than are counted, which shows whether more match. */
export async function selectNewest(
  asked: QueryScope,
  { buildId, query, family }: Selection,
): Promise<impact.Selection> {
  const { gameId } = asked;
  const { conditions, checks, key, searches } =
    query === undefined
      ? { conditions: [], checks: [], key: undefined, searches: [] }
      : await reportConditions(asked, query);
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  const [only, ...others] = family;
  if (only !== undefined)
    conditions.push(others.length === 0 ? sql`group_id = ${only}` : sql`group_id = any(${family}::uuid[])`);
  const lists = searches.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const limit = LIMITS.crashReportsCounted;
  if (searches.length === 0 && checks.length === 0)
    return { reportIds: impact.newestReports(gameId, { conditions, checks, key }, limit + 1), limit };
  const all = [...conditions, ...checks];
  const reportIds =
    searches.length === 0
      ? await selectChecked(asked, { conditions, checks, key }, limit + 1)
      : lists.length === searches.length
        ? await selectWithValues(asked, { conditions: all, lists }, limit + 1)
        : await selectMatches(asked, { conditions: all, searches }, limit + 1);
  return { reportIds: sql`${reportIds}`, limit };
}

/**
 * Reads the reports window by window: without a bound, the first match of each partition would be searched for, however
 * old. Returns a `uuid[]`.
 */
async function selectChecked({ db, gameId }: QueryScope, wanted: Wanted, limit: number): Promise<string> {
  const ends = await findEnds(db, gameId, 'crash_impact');
  return ends === undefined
    ? '{}'
    : selectByWindows(windowsBack(ends), limit, (page) => impact.listNewest(db, gameId, wanted, page));
}

/** A window has this many times the days that the wanted reports need on average. */
const MARGIN = 1.5;

/** Searches by values, window by window, because any number of reports may have them. Returns a `uuid[]`. */
async function selectWithValues(
  { db, gameId }: QueryScope,
  wanted: { conditions: readonly RawBuilder<unknown>[]; lists: readonly (readonly number[])[] },
  limit: number,
): Promise<string> {
  const [ends, count] = await Promise.all([
    findEnds(db, gameId, 'crash_impact'),
    impact.countWithValues(db, gameId, wanted.lists),
  ]);
  if (ends === undefined || count === 0) return '{}';
  const span = timeOfId(ends.before) - timeOfId(ends.oldest);
  return selectByWindows(windowsBack(ends, (span * MARGIN * limit) / count), limit, (page) =>
    impact.listWithValues(db, gameId, wanted, page),
  );
}

/** Searches by texts and functions in the same way. How many reports match is not known. */
async function selectMatches(
  { db, gameId }: QueryScope,
  { conditions, searches }: { conditions: readonly RawBuilder<unknown>[]; searches: readonly Search[] },
  limit: number,
): Promise<string> {
  const ends = await findEnds(db, gameId, 'crash_impact');
  if (ends === undefined) return '{}';
  return selectByWindows(windowsBack(ends), limit, async ({ window, limit: missing }) => {
    const matches = await Promise.all(
      searches.map(({ inIndex, values }) =>
        values === undefined
          ? inIndex(window.from)
          : sql`report_id = any(array(${withValues(gameId, [values], window)}))`,
      ),
    );
    return impact.listMatches(db, gameId, [...conditions, ...matches], { window, limit: missing });
  });
}

type Page = { readonly window: { readonly from: string; readonly to: string }; readonly limit: number };

/** From the newest window on, until enough reports are found. Returns a `uuid[]`. */
async function selectByWindows(
  windows: Iterable<Page['window']>,
  limit: number,
  list: (page: Page) => Promise<impact.PackedIds>,
): Promise<string> {
  const found: impact.PackedIds[] = [];
  let missing = limit;
  for (const window of windows) {
    const inWindow = await list({ window, limit: missing });
    if (inWindow.count > 0) found.push(inWindow);
    missing -= inWindow.count;
    if (missing <= 0) break;
  }
  return `{${found.map(({ ids }) => ids.slice(1, -1)).join()}}`;
}
