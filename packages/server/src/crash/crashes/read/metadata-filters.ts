// Filters by the metadata of games. Counted values are found by their ids; what a game has too much of to count, or that
// is too long, only among its newest reports.
import { METADATA_PREFIX } from '@chauffeur/contract/crash-query';
import type { Db } from '../../../kernel/database/db.ts';
import { MAX_METADATA_LENGTH } from '../groups/facet-rules.ts';
import { findValues, type GroupCondition, groupHasValue, matchValues } from './facet-filters.sql.ts';
import { findOthers, groupHasMetadata, hasMetadata, matchNewest } from './metadata-filters.sql.ts';
import { patternsOf } from './patterns.sql.ts';
import type { Search } from './search.sql.ts';

/**
 * The values of a facet that match. If others may match as well, `among` has all values that reports with a match can have;
 * null for any reports.
 */
type Values = { readonly ids: readonly number[]; readonly among?: readonly number[] | null };

async function valuesOf(db: Db, gameId: string, name: string, values: readonly string[]): Promise<Values> {
  const facet = METADATA_PREFIX + name;
  const [found, others] = [
    await findValues(db, gameId, facet, patternsOf(values)),
    await findOthers(db, gameId, facet),
  ];
  const ids = found.map(({ value_id }) => value_id);
  const counted = new Set(found.map(({ value }) => value.toLowerCase()));
  if (values.every((value) => counted.has(value.toLowerCase()))) return { ids };
  if (!others.isFacet || values.some((value) => value.length > MAX_METADATA_LENGTH)) return { ids, among: null };
  return others.id === null ? { ids } : { ids, among: [...ids, others.id] };
}

/** Numbers, booleans and null are compared as texts. Names of metadata are matched without regard to case. */
export async function matchMetadata(db: Db, gameId: string, name: string, values: readonly string[]): Promise<Search> {
  const { ids, among } = await valuesOf(db, gameId, name, values);
  const inRow = hasMetadata(name, values);
  return among === undefined ? matchValues(gameId, ids, inRow) : matchNewest(db, gameId, inRow, among);
}

export async function groupMetadata(
  db: Db,
  gameId: string,
  name: string,
  values: readonly string[],
): Promise<GroupCondition> {
  const { ids, among } = await valuesOf(db, gameId, name, values);
  if (among === undefined) return groupHasValue(db, gameId, ids);
  return { condition: groupHasMetadata(gameId, hasMetadata(name, values), among), isCommon: false };
}
