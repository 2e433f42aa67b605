// Whom the crashes of a group, a build or a query hit.

import type { AccountCaller, Context } from '../../../context.ts';
import { readReplica } from '../../../request/read-replica.ts';
import { listFacets, listValues } from './facet-filters.sql.ts';
import { findFamily } from './family.sql.ts';
import * as impact from './impact.sql.ts';
import { selectNewest } from './newest.ts';
import { unknownGroup } from './not-found.ts';
import { findOnlyBuild, type QueryScope } from './query.ts';

const MAX_LISTED = 10;
const MAX_VALUES_LISTED = 50;

export type ImpactScope = {
  readonly groupId: string | undefined;
  readonly buildId: string | undefined;
  readonly query: string | undefined;
  /** How many values of each facet. */
  readonly values: number;
};

export type Impact = impact.Totals & {
  /** Whether the facets, and for a query all numbers, are of all reports or only of the newest. */
  readonly counted: 'all' | 'newest';
  readonly facets: readonly impact.FacetRow[];
  readonly builds: readonly impact.BuildRow[];
  readonly groups: readonly impact.GroupRow[];
};

type Asked = { readonly gameId: string; readonly caller: AccountCaller };

/** Throws `notFound` for an unknown group, and `invalid` for a wrong query. */
export function readImpact(ctx: Context, { gameId, caller }: Asked, scope: ImpactScope): Promise<Impact> {
  return readReplica(ctx, { caller, gameId }, async ({ db }) => {
    const family = scope.groupId === undefined ? [] : await findFamily(db, gameId, scope.groupId);
    const [headId] = family;
    if (scope.groupId !== undefined && headId === undefined) throw unknownGroup();
    const asked = { db, gameId, caller, now: ctx.clock.now() };
    const [counts, builds, groups] = await Promise.all([
      readCounts(asked, { ...scope, family }),
      headId === undefined ? [] : impact.listBuildsOfGroup(db, gameId, headId, MAX_LISTED),
      headId === undefined && scope.buildId !== undefined
        ? impact.listGroupsOfBuild(db, gameId, scope.buildId, MAX_LISTED)
        : [],
    ]);
    return { ...counts, builds, groups };
  });
}

/** Of a group, a build or the game, from what is counted; of other selections, from their newest reports. */
async function readCounts(
  asked: QueryScope,
  { buildId: given, query, family, values }: ImpactScope & { family: readonly string[] },
): Promise<Omit<Impact, 'builds' | 'groups'>> {
  const { db, gameId } = asked;
  const [headId] = family;
  const buildId = given ?? (query === undefined ? undefined : await findOnlyBuild(asked, query));
  const isQueried = query !== undefined && (given !== undefined || buildId === undefined);
  if (!isQueried && headId === undefined) {
    const scopeId = buildId ?? gameId;
    const [totals, facets] = await Promise.all([
      impact.readScopeTotals(db, gameId, scopeId),
      impact.readScopeFacets(db, gameId, scopeId, values),
    ]);
    return { ...totals, counted: 'all', facets };
  }
  if (!isQueried && buildId === undefined) {
    const [totals, facets] = await Promise.all([
      impact.readGroupTotals(db, gameId, headId!),
      impact.readGroupFacets(db, gameId, headId!, values),
    ]);
    return { ...totals, counted: 'all', facets };
  }
  const selection = await selectNewest(asked, { buildId, query: isQueried ? query : undefined, family });
  const [{ isCut, ...counts }, ofGroup] = await Promise.all([
    impact.countSelection(db, gameId, selection, values),
    isQueried ? {} : impact.readGroupInBuild(db, gameId, headId!, buildId!),
  ]);
  return { ...counts, ...ofGroup, counted: isCut ? 'newest' : 'all' };
}

/** The facets of a game, and the values of one of them that contain `part`. */
export function readFacetValues(
  ctx: Context,
  { gameId, caller }: Asked,
  { facet, part = '' }: { facet: string | undefined; part: string | undefined },
): Promise<{ facets: string[]; values: string[] }> {
  return readReplica(ctx, { caller, gameId }, async ({ db }) => ({
    facets: await listFacets(db, gameId),
    values:
      facet === undefined
        ? []
        : await listValues(db, gameId, { facet: facet.toLowerCase(), part, limit: MAX_VALUES_LISTED }),
  }));
}
