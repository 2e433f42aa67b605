// Selects the newest reports of a query, to count whom they hit.
import { LIMITS } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';
import { withValues } from './facet-filters.sql.ts';
import * as impact from './impact.sql.ts';
import { type QueryScope, reportConditions } from './query.ts';
import type { Search } from './search.sql.ts';

type Selection = {
  readonly buildId: string | undefined;
  readonly query: string | undefined;
  /** The group, and those merged with it; empty for all groups. */
  readonly family: readonly string[];
};

/** At most one more than are counted, which shows whether more match. */
export async function selectNewest(
  asked: QueryScope,
  { buildId, query, family }: Selection,
): Promise<impact.Selection> {
  const { gameId } = asked;
  const { conditions, key, searches } =
    query === undefined ? { conditions: [], key: undefined, searches: [] } : await reportConditions(asked, query);
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  const [only, ...others] = family;
  if (only !== undefined)
    conditions.push(others.length === 0 ? sql`group_id = ${only}` : sql`group_id = any(${family}::uuid[])`);
  const lists = searches.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const limit = LIMITS.crashReportsCounted;
  if (searches.length === 0) return { reportIds: impact.newestReports(gameId, { conditions, key }, limit + 1), limit };
  const reportIds =
    lists.length === searches.length
      ? await selectWithValues(asked, { conditions, lists }, limit + 1)
      : await selectMatches(asked, { conditions, searches }, limit + 1);
  return { reportIds: sql`${reportIds}`, limit };
}

/** A window has this many times the days that the wanted reports need on average. */
const MARGIN = 1.5;
/** How many times longer the next window is. */
const FACTOR = 4;

/** Searches by values, window by window, because any number of reports may have them. Returns a `uuid[]`. */
async function selectWithValues(
  { db, gameId }: QueryScope,
  wanted: { conditions: readonly RawBuilder<unknown>[]; lists: readonly (readonly number[])[] },
  limit: number,
): Promise<string> {
  const [ends, count] = await Promise.all([
    impact.findEnds(db, gameId),
    impact.countWithValues(db, gameId, wanted.lists),
  ]);
  if (ends === undefined || count === 0) return '{}';
  const span = timeOfId(ends.newest) + 1 - timeOfId(ends.oldest);
  return selectByWindows(ends, { limit, length: (span * MARGIN * limit) / count }, (page) =>
    impact.listWithValues(db, gameId, wanted, page),
  );
}

/** Searches by texts and functions in the same way. How many reports match is not known. */
async function selectMatches(
  { db, gameId }: QueryScope,
  { conditions, searches }: { conditions: readonly RawBuilder<unknown>[]; searches: readonly Search[] },
  limit: number,
): Promise<string> {
  const ends = await impact.findEnds(db, gameId);
  if (ends === undefined) return '{}';
  return selectByWindows(ends, { limit, length: DAY }, async ({ window, limit: missing }) => {
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

/** From the newest window on, whose length is given, until enough reports are found. Returns a `uuid[]`. */
async function selectByWindows(
  ends: { readonly oldest: string; readonly newest: string },
  { limit, length: first }: { readonly limit: number; readonly length: number },
  list: (page: Page) => Promise<impact.PackedIds>,
): Promise<string> {
  const oldest = timeOfId(ends.oldest);
  let to = timeOfId(ends.newest) + 1;
  let length = Math.max(DAY, first);
  const found: impact.PackedIds[] = [];
  for (let missing = limit; to > oldest && missing > 0; length *= FACTOR) {
    const from = Math.max(oldest, Math.floor(to - length));
    const window = { from: firstIdAt(from), to: firstIdAt(to) };
    const inWindow = await list({ window, limit: missing });
    if (inWindow.count > 0) found.push(inWindow);
    missing -= inWindow.count;
    to = from;
  }
  return `{${found.map(({ ids }) => ids.slice(1, -1)).join()}}`;
}
