// Impact: the share of active devices that crashed, and what they have in common.
import { FACETS } from '@chauffeur/contract/crash-query';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/impact';
import { type FacetRow, readFacetValues, readImpact } from '../../crash/crashes/crashes.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { countDevices } from '../events/events.ts';

type Facet = OutputOf<typeof contract.getImpact>['facets'][number];

const VALUES = 5;

export const getImpact = handle(contract.getImpact, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { group_id: groupId, build_id: buildId, query, kind = 'crash', values = VALUES } = input;
  const asked = { gameId: game.game_id, caller };
  const [{ facets, builds, ...impact }, devices] = await Promise.all([
    readImpact(ctx, asked, { groupId, buildId, query, kind, values }),
    countDevices(ctx, asked, buildId),
  ]);
  const scope = buildId === undefined ? ('game' as const) : ('build' as const);
  return {
    ...impact,
    groups: [...impact.groups],
    devices_of: devices === 0 ? null : { scope, devices },
    facets: orderFacets([...Map.groupBy(facets, ({ facet }) => facet).values()].map(facetOf)),
    builds: builds.map(({ version, ...build }) => ({ ...build, version: version ?? '' })),
  };
});

function facetOf(rows: readonly FacetRow[]): Facet {
  const { facet, values, all } = rows[0]!;
  // A game has a limited number of values. Those beyond it are summed up under an empty name.
  const listed = rows
    .filter(({ value }) => value !== '')
    .map(({ value, reports, devices }) => ({ value, reports, devices }));
  const shown = listed.reduce((sum, { reports }) => sum + reports, 0);
  return { facet, values: listed, other: { values: values - listed.length, reports: all - shown } };
}

export const listFacetValues = handle(contract.listFacetValues, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readFacetValues(ctx, { gameId: game.game_id, caller }, { facet: input.facet, part: input.part });
});

const ORDER = Object.keys(FACETS);

/** Puts the facets of systems first, and then metadata by its names. */
function orderFacets<T extends { readonly facet: string }>(facets: readonly T[]): T[] {
  const rankOf = (facet: string) => (ORDER.includes(facet) ? ORDER.indexOf(facet) : ORDER.length);
  return facets.toSorted((a, b) => rankOf(a.facet) - rankOf(b.facet) || (a.facet < b.facet ? -1 : 1));
}
