// The SQL of the values of facets: a game has a limited number of them.
import { METADATA_PREFIX } from '@chauffeur/contract/crash-query';
import { sql } from 'kysely';
import type { Db } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';

export type NewValue = { readonly id: number; readonly facet: string; readonly value: string };

/** Values of one facet that a game can have; further ones are counted together. */
export const MAX_VALUES = { system: 5000, metadata: 200 } as const;
/** Keys of a game's own metadata that are facets: the first. */
export const MAX_KEYS = 24;

/**
 * Writes these values, seen on `day` (UTC, `2026-11-30`), and returns the ids of the values that the game has now;
 * others are beyond its limits. Safe to repeat.
 */
export async function rememberValues(
  db: Db,
  gameId: string,
  values: readonly NewValue[],
  day: string,
): Promise<Set<number>> {
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
