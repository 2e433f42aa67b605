// Turns the facets of reports into ids, which are counted by group. A game has a limited number of values of a facet;
// those beyond it are counted together as one.
import { hash } from 'node:crypto';
import { METADATA_PREFIX } from '@chauffeur/contract/crash-query';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';
import { perContext } from '../../../request/per-context.ts';
import type { Facet } from './facet-rules.ts';

/** The facets of each report, by the id of the report. */
export type FacetIds = ReadonlyMap<string, readonly number[]>;

/** Written instead of all values of a facet beyond the limit of the game. */
const OTHER = '';

/** A number that PostgreSQL and JavaScript both store exactly: 53 bits. */
function idOfValue(gameId: string, facet: string, value: string): number {
  const digest = hash('sha256', keyOf(gameId, facet, value), 'buffer');
  return Number(digest.readBigUInt64BE() >> 11n);
}

/** What became of values today: the id that they are counted under, or null for a key that is not a facet. */
const idsOfToday = perContext(() => ({ day: '', ids: new Map<string, number | null>() }));
const MAX_IDS = 50_000;

function keyOf(gameId: string, facet: string, value: string): string {
  return `${gameId}\n${facet}\n${value}`;
}

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
  const unknown = new Map<string, NewValue>();
  for (const ofReport of facets.values())
    for (const [facet, value] of ofReport) {
      const key = keyOf(gameId, facet, value);
      if (!ids.has(key) && !unknown.has(key)) unknown.set(key, { id: idOfValue(gameId, facet, value), facet, value });
    }
  if (unknown.size > 0) await learn(ctx, gameId, [...unknown.values()], day, ids);
  return new Map(
    [...facets].map(([reportId, ofReport]) => {
      const found = ofReport.map(([facet, value]) => ids.get(keyOf(gameId, facet, value)) ?? null);
      return [reportId, [...new Set(found.filter((id) => id !== null))].sort((a, b) => a - b)];
    }),
  );
}

async function learn(
  ctx: Context,
  gameId: string,
  values: readonly NewValue[],
  day: string,
  ids: Map<string, number | null>,
): Promise<void> {
  const kept = await rememberValues(ctx.db, gameId, values, day);
  const beyond = values.filter(({ id }) => !kept.has(id));
  const others = [...new Set(beyond.map(({ facet }) => facet))].map((facet) => ({
    id: idOfValue(gameId, facet, OTHER),
    facet,
    value: OTHER,
  }));
  const keptOthers = others.length === 0 ? new Set<number>() : await rememberValues(ctx.db, gameId, others, day);
  for (const { id, facet, value } of values) if (kept.has(id)) ids.set(keyOf(gameId, facet, value), id);
  for (const { facet, value } of beyond) {
    const other = idOfValue(gameId, facet, OTHER);
    ids.set(keyOf(gameId, facet, value), keptOthers.has(other) ? other : null);
  }
}

type NewValue = { readonly id: number; readonly facet: string; readonly value: string };

/** Values of one facet that a game can have; further ones are counted together. */
export const MAX_VALUES = { system: 5000, metadata: 200 } as const;
/** Keys of a game's own metadata that are facets: the first. */
export const MAX_KEYS = 24;

/**
 * Writes these values, seen on `day` (UTC, `2026-11-30`), and returns the ids of the values that the game has now;
 * others are beyond its limits. Safe to repeat.
 */
async function rememberValues(db: Db, gameId: string, values: readonly NewValue[], day: string): Promise<Set<number>> {
  const column = <Name extends keyof NewValue>(name: Name) => values.map((value) => value[name]);
  // Ordered, so two transactions that write the same values cannot deadlock.
  const statement = sql<{ value_id: number }>`
    with given as (
      select * from unnest(${column('id')}::bigint[], ${column('facet')}::text[], ${column('value')}::text[])
        as given (value_id, facet, value)
    ), keys as (
      select facet, row_number() over (order by is_new, facet) as place from (
        select facet, not exists (select from crash_facet_values old
          where old.game_id = ${gameId}::uuid and old.facet = named.facet) as is_new
        from (select distinct facet from given where facet like ${`${METADATA_PREFIX}%`}::text) as named
      ) as keys where is_new
    ), used as (
      select count(*) as keys from (
        select distinct facet from crash_facet_values where game_id = ${gameId}::uuid and facet like ${`${METADATA_PREFIX}%`}::text
      ) as own
    ), fitting as (
      select value_id, facet, value from given cross join used left join keys using (facet)
      where exists (select from crash_facet_values old where old.game_id = ${gameId}::uuid and old.value_id = given.value_id)
        or ((place is null or place + used.keys <= ${MAX_KEYS}::integer) and (value = '' or (
          select count(*) from crash_facet_values old where old.game_id = ${gameId}::uuid and old.facet = given.facet
        ) < case when facet like ${`${METADATA_PREFIX}%`}::text then ${MAX_VALUES.metadata}::integer else ${MAX_VALUES.system}::integer end))
    ), written as (
      insert into crash_facet_values (game_id, value_id, facet, value, seen_on)
      select ${gameId}::uuid, value_id, facet, value, ${day}::date from fitting order by value_id
      on conflict (game_id, value_id) do update set seen_on = excluded.seen_on
        where crash_facet_values.seen_on < excluded.seen_on
    )
    select value_id from fitting`;
  return new Set((await rowsOfGame(db, gameId, statement)).map(({ value_id }) => value_id));
}
