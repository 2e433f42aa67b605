// Whom the crashes of a group, a build or a query hit. What is counted when reports are processed answers most
// questions at once. For other selections, the newest reports are selected and counted.
import { LIMITS } from '@chauffeur/contract/limits';
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { type RawBuilder, sql } from 'kysely';
import type { AccountCaller, Context } from '../../../context.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { onReplica } from '../../../request/read-replica.ts';
import { listFacets, listValues, withValues } from './filters.sql.ts';
import { findFamily, unknownGroup } from './group-list.sql.ts';
import * as impact from './impact.sql.ts';
import { findOnlyBuild, type QueryScope, reportConditions } from './query.ts';
import { findEnds, hasErrors, type Wanted } from './report-list.sql.ts';
import { type GroupSearch, windowsBack } from './search.ts';

const MAX_LISTED = 10;
const MAX_VALUES_LISTED = 50;

export type ImpactScope = {
  readonly groupId: string | undefined;
  readonly buildId: string | undefined;
  readonly query: string | undefined;
  /** The reports that count, unless a group is given: all of its reports are of one kind. */
  readonly kind: ReportKind;
  /** How many values of each facet. */
  readonly values: number;
};

export type Impact = impact.ImpactTotals & {
  /** Whether the facets, and for a query all numbers, are of all reports or only of the newest. */
  readonly counted: 'all' | 'newest';
  readonly facets: readonly impact.FacetRow[];
  readonly builds: readonly impact.AffectedBuild[];
  readonly groups: readonly impact.AffectedGroup[];
};

type Asked = { readonly gameId: string; readonly caller: AccountCaller };

/** Throws `notFound` for an unknown group, and `invalid` for a wrong query. */
export function readImpact(ctx: Context, { gameId, caller }: Asked, scope: ImpactScope): Promise<Impact> {
  return onReplica(ctx, { caller, gameId }, async ({ db }) => {
    const family = scope.groupId === undefined ? [] : await findFamily(db, gameId, scope.groupId);
    const [headId] = family;
    if (scope.groupId !== undefined && headId === undefined) throw unknownGroup();
    const asked = { db, gameId, caller, now: ctx.clock.now() };
    const [counts, builds, groups] = await Promise.all([
      readCounts(asked, { ...scope, family }),
      headId === undefined ? [] : impact.listBuildsOfGroup(db, gameId, headId, MAX_LISTED),
      headId === undefined && scope.buildId !== undefined
        ? impact.listGroupsOfBuild(db, gameId, { buildId: scope.buildId, kind: scope.kind }, MAX_LISTED)
        : [],
    ]);
    return { ...counts, builds, groups };
  });
}

/**
 * Reads what is counted of a group, or of the crashes of a build or the game, and counts the newest reports of other
 * selections.
 */
async function readCounts(
  asked: QueryScope,
  { buildId: given, query, kind, family, values }: ImpactScope & { family: readonly string[] },
): Promise<Omit<Impact, 'builds' | 'groups'>> {
  const { db, gameId } = asked;
  const [headId] = family;
  const buildId = given ?? (query === undefined ? undefined : await findOnlyBuild(asked, query));
  const isQueried = query !== undefined && (given !== undefined || buildId === undefined);
  if (!isQueried && headId === undefined && kind === 'crash') {
    const scopeId = buildId ?? gameId;
    const [totals, facets] = await Promise.all([
      impact.readScopeTotals(db, gameId, scopeId),
      impact.readScopeFacets(db, gameId, scopeId, values),
    ]);
    return { ...totals, counted: 'all', facets };
  }
  if (!isQueried && headId !== undefined && buildId === undefined) {
    const [totals, facets] = await Promise.all([
      impact.readGroupTotals(db, gameId, headId),
      impact.readGroupFacets(db, gameId, headId, values),
    ]);
    return { ...totals, counted: 'all', facets };
  }
  const selection = await selectNewest(asked, { buildId, query: isQueried ? query : undefined, kind, family });
  const [{ isCut, ...counts }, ofGroup] = await Promise.all([
    impact.countSelection(db, gameId, selection, values),
    isQueried || headId === undefined || buildId === undefined
      ? {}
      : impact.readGroupInBuild(db, gameId, headId, buildId),
  ]);
  return { ...counts, ...ofGroup, counted: isCut ? 'newest' : 'all' };
}

/** The facets of a game, and the values of one of them that contain `part`. */
export function readFacetValues(
  ctx: Context,
  { gameId, caller }: Asked,
  { facet, part = '' }: { facet: string | undefined; part: string | undefined },
): Promise<{ facets: string[]; values: string[] }> {
  return onReplica(ctx, { caller, gameId }, async ({ db }) => ({
    facets: await listFacets(db, gameId),
    values:
      facet === undefined
        ? []
        : await listValues(db, gameId, { facet: facet.toLowerCase(), part, limit: MAX_VALUES_LISTED }),
  }));
}

type WantedReports = {
  readonly buildId: string | undefined;
  readonly query: string | undefined;
  readonly kind: ReportKind;
  /** The group, and those merged with it; empty for all groups. */
  readonly family: readonly string[];
};

/** Selects at most one more than are counted, which shows whether more match. */
async function selectNewest(
  asked: QueryScope,
  { buildId, query, kind, family }: WantedReports,
): Promise<impact.Selection> {
  const { db, gameId } = asked;
  const { conditions, checks, key, searches } =
    query === undefined
      ? { conditions: [], checks: [], key: undefined, searches: [] }
      : await reportConditions(asked, query);
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  const [only, ...others] = family;
  // Without errors, the indexes of values alone find the crashes.
  if (only === undefined && (kind === 'error' || (await hasErrors(db, gameId)))) conditions.push(sql`kind = ${kind}`);
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
        ? await selectWithValues(asked, { conditions: all, lists, kind }, limit + 1)
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

type WantedValues = {
  readonly conditions: readonly RawBuilder<unknown>[];
  readonly lists: readonly (readonly number[])[];
  readonly kind: ReportKind;
};

/** Searches by values, window by window, because any number of reports may have them. Returns a `uuid[]`. */
async function selectWithValues({ db, gameId }: QueryScope, wanted: WantedValues, limit: number): Promise<string> {
  const [ends, count] = await Promise.all([
    findEnds(db, gameId, 'crash_impact'),
    // Only those of crashes are counted.
    wanted.kind === 'crash' ? impact.countWithValues(db, gameId, wanted.lists) : 0,
  ]);
  if (ends === undefined) return '{}';
  const span = timeOfId(ends.before) - timeOfId(ends.oldest);
  const length = count === 0 ? undefined : (span * MARGIN * limit) / count;
  return selectByWindows(windowsBack(ends, length), limit, (page) => impact.listWithValues(db, gameId, wanted, page));
}

/** Searches by texts and functions in the same way. How many reports match is not known. */
async function selectMatches(
  { db, gameId }: QueryScope,
  { conditions, searches }: { conditions: readonly RawBuilder<unknown>[]; searches: readonly GroupSearch[] },
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

type WindowPage = { readonly window: { readonly from: string; readonly to: string }; readonly limit: number };

/** Goes back from the newest window until enough reports are found. Returns a `uuid[]`. */
async function selectByWindows(
  windows: Iterable<WindowPage['window']>,
  limit: number,
  list: (page: WindowPage) => Promise<impact.PackedIds>,
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
