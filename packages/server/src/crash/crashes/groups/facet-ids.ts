// Turns the facets of reports into ids, which are counted by group.
import { hash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { perContext } from '../../../request/per-context.ts';
import { type NewValue, rememberValues } from './facet-ids.sql.ts';
import type { Facet } from './facet-rules.ts';

/** The facets of each report, by the id of the report. */
export type FacetIds = ReadonlyMap<string, readonly number[]>;

/** Written instead of all values of a facet beyond the limit of the game. */
const OTHER = '';

/** A number that PostgreSQL and JavaScript both store exactly: 53 bits. */
function idOfValue(gameId: string, facet: string, value: string): number {
  const digest = hash('sha256', `${gameId}\n${facet}\n${value}`, 'buffer');
  return Number(digest.readBigUInt64BE() >> 11n);
}

/** What became of values today: the id that they are counted under, or null for a key that is not a facet. */
const idsOfToday = perContext(() => ({ day: '', ids: new Map<number, number | null>() }));
const MAX_IDS = 100_000;

/** The ids of the facets of reports. Values that a game did not have before are written: call it before counting. */
export async function facetIdsOf(
  ctx: Context,
  gameId: string,
  facets: ReadonlyMap<string, readonly Facet[]>,
): Promise<FacetIds> {
  const day = utcDayOf(ctx.clock.now());
  const today = idsOfToday(ctx);
  if (today.day !== day || today.ids.size > MAX_IDS) Object.assign(today, { day, ids: new Map() });
  const { ids } = today;
  const values = [...facets.values()]
    .flat()
    .map(([facet, value]) => ({ id: idOfValue(gameId, facet, value), facet, value }));
  const unknown = new Map(values.filter(({ id }) => !ids.has(id)).map((value) => [value.id, value]));
  if (unknown.size > 0) await learn(ctx, gameId, [...unknown.values()], day, ids);
  return new Map(
    [...facets].map(([reportId, ofReport]) => {
      const found = ofReport.map(([facet, value]) => ids.get(idOfValue(gameId, facet, value)) ?? null);
      return [reportId, [...new Set(found.filter((id) => id !== null))].sort((a, b) => a - b)];
    }),
  );
}

async function learn(
  ctx: Context,
  gameId: string,
  values: readonly NewValue[],
  day: string,
  ids: Map<number, number | null>,
): Promise<void> {
  const kept = await rememberValues(ctx.db, gameId, values, day);
  const beyond = values.filter(({ id }) => !kept.has(id));
  const others = [...new Set(beyond.map(({ facet }) => facet))].map((facet) => ({
    id: idOfValue(gameId, facet, OTHER),
    facet,
    value: OTHER,
  }));
  const keptOthers = others.length === 0 ? new Set<number>() : await rememberValues(ctx.db, gameId, others, day);
  for (const { id } of values) if (kept.has(id)) ids.set(id, id);
  for (const { id, facet } of beyond) {
    const other = idOfValue(gameId, facet, OTHER);
    ids.set(id, keptOthers.has(other) ? other : null);
  }
}
