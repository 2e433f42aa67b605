// Selects the newest reports of a query, to count whom they hit.
import { LIMITS } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { firstIdAt, timeOfId } from '../../../kernel/secrets/ids.ts';
import * as impact from './impact.sql.ts';
import { type QueryScope, reportConditions } from './query.ts';

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
  const { conditions, searches } =
    query === undefined ? { conditions: [], searches: [] } : await reportConditions(asked, query);
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  const [only, ...others] = family;
  if (only !== undefined)
    conditions.push(others.length === 0 ? sql`group_id = ${only}` : sql`group_id = any(${family}::uuid[])`);
  const lists = searches.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const limit = LIMITS.crashReportsCounted;
  const isByValues = lists.length > 0 && lists.length === searches.length;
  const reportIds = isByValues
    ? sql`${await selectWithValues(asked, { conditions, lists }, limit + 1)}`
    : impact.newestReports(gameId, [...conditions, ...searches.map(({ inRow }) => inRow)], limit + 1);
  return { reportIds, limit };
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
  const oldest = timeOfId(ends.oldest);
  let to = timeOfId(ends.newest) + 1;
  let length = Math.max(DAY, ((to - oldest) * MARGIN * limit) / count);
  const found: impact.PackedIds[] = [];
  for (let missing = limit; to > oldest && missing > 0; length *= FACTOR) {
    const from = Math.max(oldest, Math.floor(to - length));
    const window = { from: firstIdAt(from), to: firstIdAt(to) };
    const inWindow = await impact.listWithValues(db, gameId, wanted, { window, limit: missing });
    if (inWindow.count > 0) found.push(inWindow);
    missing -= inWindow.count;
    to = from;
  }
  return `{${found.map(({ ids }) => ids.slice(1, -1)).join()}}`;
}
