// Impact: whom crashes hit, as a share of the devices that events were sent by.
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/impact';
import { type FacetRow, readFacetValues, readImpact } from '../../crash/crashes/crashes.ts';
import { requireMember } from '../../people/games/games.ts';
import { handle } from '../../request/route.ts';
import { countDevices } from '../events/events.ts';
import { orderFacets } from './order-facets.ts';

type Facet = OutputOf<typeof contract.getImpact>['facets'][number];

const VALUES = 5;

export const getImpact = handle(contract.getImpact, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { group_id: groupId, build_id: buildId, query, values = VALUES } = input;
  const asked = { gameId: game.game_id, caller };
  const [{ facets, builds, ...impact }, devices] = await Promise.all([
    readImpact(ctx, asked, { groupId, buildId, query, values }),
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
  // Values beyond the limit of the game have no name.
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
