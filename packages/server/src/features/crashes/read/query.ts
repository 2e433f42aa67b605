// Turns a query of the query language into conditions on crash groups or reports.

import { compareVersions } from '@chauffeur/contract/compare-versions';
import { isFacet } from '@chauffeur/contract/crash-facets';
import { METADATA_PREFIX, type Operator, parseQuery, type Term, timesOf } from '@chauffeur/contract/crash-query';
import { ApiError } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { type RawBuilder, sql } from 'kysely';
import type { AccountCaller } from '../../../context.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { listMembers } from '../../games/games.ts';
import { facetOfKey } from '../groups/facet-rules.ts';
import { matchesPattern } from '../groups/game-rules.ts';
import { shownTitle } from '../groups/state.sql.ts';
import {
  findValueIds,
  type GroupCondition,
  groupHasDevice,
  groupHasValue,
  matchValues,
  ofDevices,
} from './facet-filters.sql.ts';
import { groupMetadata, matchMetadata } from './metadata-filters.ts';
import { like, patternsOf } from './patterns.sql.ts';
import { type BuildName, listBuildNames } from './query.sql.ts';
import { matchFunction, matchWords, type Search } from './search.sql.ts';

type Condition = RawBuilder<unknown>;
type Filter = Extract<Term, { kind: 'filter' }>;

export type QueryScope = {
  readonly db: Db;
  readonly gameId: string;
  readonly caller: AccountCaller;
  readonly now: Date;
};

/** Throws 4002 with the first problem of the query. */
function termsOf(query: string): readonly Term[] {
  const { terms, problems } = parseQuery(query);
  const [problem] = problems;
  if (problem === undefined) return terms;
  throw new ApiError(4002, `query: ${problem.message} See “${query.slice(problem.from, problem.to)}”.`);
}

/** Throws 4002 for a wrong query. */
export function checkQuery(query: string): void {
  termsOf(query);
}

/** What the conditions need to know about the game, read only if a term needs it. */
class Names {
  readonly #scope: QueryScope;
  #builds: Promise<readonly BuildName[]> | undefined;
  #members: ReturnType<typeof listMembers> | undefined;

  constructor(scope: QueryScope) {
    this.#scope = scope;
  }

  builds(): Promise<readonly BuildName[]> {
    this.#builds ??= listBuildNames(this.#scope.db, this.#scope.gameId);
    return this.#builds;
  }

  /** The ids of the members with one of these names; `me` is the caller. */
  async memberIds(values: readonly string[]): Promise<string[]> {
    const { db, gameId, caller } = this.#scope;
    this.#members ??= listMembers(db, gameId);
    const members = await this.#members;
    const isNamed = isOneOf(values);
    return [
      ...members.filter(({ name, user_id }) => isNamed(name) || values.includes(user_id)).map(({ user_id }) => user_id),
      ...(values.some((value) => value.toLowerCase() === 'me') ? [caller.user.id] : []),
    ];
  }
}

/** Filters of reports that are counted by group: by build and OS. */
const COUNTED = ['os', 'arch', 'version', 'build'];

/** Conditions on groups. `inOrder` are checked on groups in the order of the list, until a page is full. */
export type GroupConditions = { readonly conditions: Condition[]; readonly inOrder: Condition[] };

/**
 * The conditions on the rows of `crash_groups`, in which merged groups count as one. A group matches filters of OS,
 * version and build with a report that matches all of them. Throws 4002 for a wrong query.
 */
export async function groupConditions(scope: QueryScope, query: string): Promise<GroupConditions> {
  const terms = termsOf(query);
  const names = new Names(scope);
  const conditions: Condition[] = [];
  const inOrder: Condition[] = [];
  const counted: Condition[] = [];
  for (const term of terms) {
    if (term.kind === 'filter' && COUNTED.includes(term.key) && !term.negated)
      counted.push(await countedCondition(names, term));
    else if (term.kind === 'filter' && isFacet(term.key)) {
      const { condition, isCommon } = await groupFacet(scope, term.key, term.values);
      (isCommon ? inOrder : conditions).push(negatedIf(term, condition));
    } else conditions.push(negatedIf(term, await groupCondition(scope, names, term)));
  }
  if (counted.length > 0) conditions.push(hasCounted(scope.gameId, counted));
  return { conditions, inOrder };
}

async function groupCondition(scope: QueryScope, names: Names, term: Term): Promise<Condition> {
  const { gameId, now } = scope;
  if (term.kind === 'text') return groupText(gameId, term.text);
  const { key, operator, values } = term;
  if (COUNTED.includes(key)) return hasCounted(gameId, [await countedCondition(names, term)]);
  switch (key) {
    case 'is':
      return anyOf(values.map((value) => groupState(gameId, value.toLowerCase())));
    case 'assigned':
      return sql`assignee_id = any(${await names.memberIds(values)}::text[])`;
    case 'priority':
      return anyOf(
        values.map((value) =>
          value.toLowerCase() === 'none' ? sql`priority is null` : sql`priority = ${value.toLowerCase()}`,
        ),
      );
    case 'reason':
      return like(sql`reason`, values);
    case 'reports':
    case 'devices': {
      const column = key === 'reports' ? sql`count` : sql`devices`;
      return anyOf(values.map((value) => compared(column, operator, sql`${Number(value)}::bigint`)));
    }
    case 'device':
      return groupHasDevice(gameId, values);
    case 'first':
    case 'last':
      return anyOf(values.map((value) => within(sql.ref(`${key}_seen`), operator, value, now)));
    default:
      throw new ApiError(4002, `query: “${key}” is a filter of reports. List reports, or leave it out.`);
  }
}

/** Keys of metadata that are read into a facet are this facet. */
async function groupFacet({ db, gameId }: QueryScope, key: string, values: readonly string[]): Promise<GroupCondition> {
  const name = key.slice(METADATA_PREFIX.length);
  const facet = key.startsWith(METADATA_PREFIX) ? (facetOfKey(name) ?? key) : key;
  if (facet.startsWith(METADATA_PREFIX)) return groupMetadata(db, gameId, name, values);
  return groupHasValue(db, gameId, await findValueIds(db, gameId, facet, patternsOf(values)));
}

function groupText(gameId: string, text: string): Condition {
  const part = sql`lower(${text})`;
  return sql`(strpos(lower(${shownTitle}), ${part}) > 0 or strpos(lower(title), ${part}) > 0 or group_id in (
    select coalesce(named_group.merged_into, named_group.group_id) from crash_group_functions named
      join crash_groups named_group using (game_id, group_id)
    where named.game_id = ${gameId} and strpos(lower(named.function), ${part}) > 0))`;
}

function groupState(gameId: string, state: string): Condition {
  switch (state) {
    case 'assigned':
      return sql`assignee_id is not null`;
    case 'unassigned':
      return sql`assignee_id is null`;
    case 'merged':
      return sql`members <> '{}'`;
    case 'linked':
      return sql`issue_url is not null`;
    case 'regressed':
      return sql`(status = 'open' and regressed_at is not null)`;
    case 'new':
      return sql`first_seen >= (select max(created_at) from builds where builds.game_id = ${gameId})`;
    default:
      return sql`status = ${state}`;
  }
}

/** Groups with reports whose build and OS meet all these conditions on `crash_group_totals`. */
function hasCounted(gameId: string, conditions: readonly Condition[]): Condition {
  return sql`group_id in (
    select coalesce(counted_group.merged_into, counted_group.group_id) from crash_group_totals counted
      join crash_groups counted_group using (game_id, group_id)
    where counted.game_id = ${gameId} and ${sql.join(conditions, sql` and `)})`;
}

async function countedCondition(names: Names, filter: Filter): Promise<Condition> {
  if (filter.key === 'os') return like(sql`counted.os`, osValues(filter));
  return sql`counted.build_id = any(${await buildIds(names, filter)}::uuid[])`;
}

function osValues({ values }: Filter): string[] {
  return values.map((value) => canonicalOs(value.toLowerCase()));
}

/** The builds that a filter by version, architecture or build selects, deleted ones included. */
async function buildIds(names: Names, { key, operator, values }: Filter): Promise<string[]> {
  const builds = await names.builds();
  const isWanted = {
    build: ({ build_id }: BuildName) => values.some((value) => value.toLowerCase() === build_id),
    arch: ({ arch }: BuildName) => isOneOf(values.map((value) => canonicalArch(value.toLowerCase())))(arch),
    version: ({ version }: BuildName) => values.some((value) => isVersion(version, operator, value)),
  }[key as 'build' | 'arch' | 'version'];
  return builds.filter(isWanted).map(({ build_id }) => build_id);
}

/** The build whose reports a query selects, if it has only filters of builds and one build meets them. */
export async function findOnlyBuild(scope: QueryScope, query: string): Promise<string | undefined> {
  const names = new Names(scope);
  let found: string[] | undefined;
  for (const term of termsOf(query)) {
    if (term.kind === 'text' || term.negated || !['version', 'build'].includes(term.key)) return undefined;
    const ids = new Set(await buildIds(names, term));
    found = found === undefined ? [...ids] : found.filter((id) => ids.has(id));
  }
  return found?.length === 1 ? found[0] : undefined;
}

function isVersion(version: string, operator: Operator, value: string): boolean {
  const order = compareVersions(version, value);
  switch (operator) {
    case '=':
      return value.includes('*') ? isOneOf([value])(version) : order === 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Whether a text is one of the values, in which `*` matches any characters. Case does not matter. */
function isOneOf(values: readonly string[]): (text: string) => boolean {
  const lower = values.map((value) => value.toLowerCase());
  return (text) => lower.some((value) => matchesPattern(value, text.toLowerCase()));
}

function compared(column: Condition, operator: Operator, value: Condition): Condition {
  return sql`${column} ${sql.raw(operator)} ${value}`;
}

function within(column: Condition, operator: Operator, value: string, now: Date): Condition {
  const { from, to } = timesOf(operator, value, now.getTime());
  const bounds = [
    ...(Number.isFinite(from) ? [sql`${column} >= ${new Date(from)}`] : []),
    ...(Number.isFinite(to) ? [sql`${column} < ${new Date(to)}`] : []),
  ];
  return sql`(${sql.join(bounds, sql` and `)})`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/** A condition that is null because a value is missing does not hold. */
function negatedIf({ negated }: Term, condition: Condition): Condition {
  return negated ? sql`(${condition}) is not true` : sql`(${condition})`;
}

/** Conditions on the columns of reports, and searches, which need an index of their own. */
export type ReportConditions = { readonly conditions: Condition[]; readonly searches: Search[] };

/** The same for the rows of `crash_reports`. Filters of groups select the reports in these groups. */
export async function reportConditions(scope: QueryScope, query: string): Promise<ReportConditions> {
  const names = new Names(scope);
  const conditions: Condition[] = [];
  const searches: Search[] = [];
  for (const term of termsOf(query)) {
    const search = await searchOf(scope, term);
    if (search !== undefined && !term.negated) searches.push(search);
    else conditions.push(negatedIf(term, search?.inRow ?? (await reportCondition(scope, names, term as Filter))));
  }
  return { conditions, searches };
}

async function searchOf({ db, gameId }: QueryScope, term: Term): Promise<Search | undefined> {
  if (term.kind === 'text') return matchFunction(db, gameId, term.text);
  const { key, values } = term;
  if (key === 'message') return matchWords(db, gameId, values.join(' '));
  if (key.startsWith(METADATA_PREFIX)) return matchMetadata(db, gameId, key.slice(METADATA_PREFIX.length), values);
  if (isFacet(key)) return matchValues(gameId, await findValueIds(db, gameId, key, patternsOf(values)));
  return undefined;
}

async function reportCondition(scope: QueryScope, names: Names, filter: Filter): Promise<Condition> {
  const { gameId, now } = scope;
  const { key, operator, values } = filter;
  switch (key) {
    case 'os':
      return like(sql`os`, osValues(filter));
    case 'arch':
      return like(
        sql`arch`,
        values.map((value) => canonicalArch(value.toLowerCase())),
      );
    case 'version':
    case 'build':
      return sql`build_id = any(${await buildIds(names, filter)}::uuid[])`;
    case 'device':
      return ofDevices(gameId, values);
    case 'reason':
      return like(sql`reason`, values);
    case 'first':
    case 'last':
      return anyOf(values.map((value) => within(sql`received_at`, operator, value, now)));
    default: {
      const ofGroup = await groupCondition(scope, names, filter);
      return sql`group_id in (
        select member.group_id from crash_groups member
        where member.game_id = ${gameId} and coalesce(member.merged_into, member.group_id) in (
          select group_id from (
            select *, array(select other.group_id from crash_groups other
              where other.game_id = ${gameId} and other.merged_into = heads.group_id) as members
            from crash_groups heads where heads.game_id = ${gameId} and heads.merged_into is null
          ) as crash_groups where ${ofGroup}))`;
    }
  }
}
