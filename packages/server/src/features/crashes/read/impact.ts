// Whom the crashes of a group, a build or a query hit.

import { sql } from 'kysely';
import type { AccountCaller, Context } from '../../../context.ts';
import { type Reader, readReplica } from '../../../request/read-replica.ts';
import { listFacets, listValues } from './facet-filters.sql.ts';
import { findFamily } from './family.sql.ts';
import * as impact from './impact.sql.ts';
import { unknownGroup } from './not-found.ts';
import { reportConditions } from './query.ts';

/** More take too long to count on demand. */
const MAX_COUNTED = 10_000;
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

/** Throws 4040 for an unknown group, and 4002 for a wrong query. */
export function readImpact(ctx: Context, { gameId, caller }: Asked, scope: ImpactScope): Promise<Impact> {
  return readReplica(ctx, { caller, gameId }, async (reader) => {
    const family = scope.groupId === undefined ? [] : await findFamily(reader.db, gameId, scope.groupId);
    const [headId] = family;
    if (scope.groupId !== undefined && headId === undefined) throw unknownGroup();
    const { buildId, query, values } = scope;
    const { db } = reader;
    const isCounted = headId !== undefined && buildId === undefined && query === undefined;
    const newest = isCounted ? null : await selectNewest(ctx, reader, { gameId, caller }, { ...scope, family });
    const [totals, facets, builds, groups] = await Promise.all([
      readTotals(reader, gameId, { headId, buildId, query }, newest),
      newest === null
        ? impact.readGroupFacets(db, gameId, headId!, values)
        : impact.readFacetsOf(db, gameId, newest, values),
      headId === undefined ? [] : impact.listBuildsOfGroup(db, gameId, headId, MAX_LISTED),
      headId === undefined && buildId !== undefined ? impact.listGroupsOfBuild(db, gameId, buildId, MAX_LISTED) : [],
    ]);
    return { ...totals, counted: newest?.isCut === true ? 'newest' : 'all', facets, builds, groups };
  });
}

type Newest = impact.Selection & { readonly isCut: boolean };

async function selectNewest(
  { clock }: Context,
  { db }: Reader,
  { gameId, caller }: Asked,
  { buildId, query, family }: ImpactScope & { family: readonly string[] },
): Promise<Newest> {
  const [only, ...others] = family;
  const { conditions, searches } =
    query === undefined
      ? { conditions: [], searches: [] }
      : await reportConditions({ db, gameId, caller, now: clock.now() }, query);
  const all = [
    sql`group_id is not null`,
    ...(buildId === undefined ? [] : [sql`build_id = ${buildId}`]),
    ...(only === undefined
      ? []
      : [others.length === 0 ? sql`group_id = ${only}` : sql`group_id = any(${family}::uuid[])`]),
    ...conditions,
    ...searches.map(({ inRow }) => inRow),
  ];
  const ids = await impact.listNewest(db, gameId, all, MAX_COUNTED + 1);
  return { reportIds: ids.slice(0, MAX_COUNTED), isCut: ids.length > MAX_COUNTED };
}

function readTotals(
  { db }: Reader,
  gameId: string,
  { headId, buildId, query }: { headId: string | undefined; buildId: string | undefined; query: string | undefined },
  newest: Newest | null,
): Promise<impact.Totals> {
  if (newest !== null && (query !== undefined || (headId === undefined && buildId === undefined)))
    return impact.readTotalsOf(db, gameId, newest);
  if (headId === undefined) return impact.readBuildTotals(db, gameId, buildId!);
  return buildId === undefined
    ? impact.readGroupTotals(db, gameId, headId)
    : impact.readGroupInBuild(db, gameId, headId, buildId);
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
