// Reads what a processed report is counted by: its dump and metadata.
import type { Context } from '../../../context.ts';
import { type FacetIds, facetIdsOf } from '../groups/facet-ids.ts';
import { type DumpSystem, facetsOf } from '../groups/facet-rules.ts';
import type { GroupingRow } from '../report/jobs.ts';

/** What the report is counted by; `system` is null if its dump could not be read. */
export function readFacets(
  ctx: Context,
  gameId: string,
  { report_id, metadata }: GroupingRow,
  system: DumpSystem | null,
): Promise<FacetIds> {
  return facetIdsOf(ctx, gameId, new Map([[report_id, facetsOf({ metadata, system })]]));
}
