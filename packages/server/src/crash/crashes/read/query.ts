// Turns a query of the query language into conditions on crash groups or reports.
import { compareVersions } from '@chauffeur/contract/compare-versions';
import {
  findMistake,
  isFacet,
  METADATA_PREFIX,
  type Operator,
  parseQuery,
  type Term,
  timesOf,
} from '@chauffeur/contract/crash-query';
import { errors } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { type RawBuilder, sql } from 'kysely';
import type { AccountCaller } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import { listMembers } from '../../../people/game-access/game-access.sql.ts';
import { facetOfKey } from '../groups/facet-rules.ts';
import { matchesPattern } from '../groups/game-rules.ts';
import { shownTitle } from '../groups/state.sql.ts';
import {
  findOses,
  findValueIds,
  type GroupCondition,
  groupHasCounted,
  groupHasDevice,
  groupHasValue,
  groupMetadata,
  like,
  matchMetadata,
  matchValues,
  ofDevices,
  patternsOf,
} from './filters.sql.ts';
import { hasMerges, idsOfGroups, listBuildNames, listGroupIds, type NamedBuild } from './group-list.sql.ts';
import type { Key, Wanted } from './report-list.sql.ts';
import { type GroupSearch, matchFunction, matchWords } from './search.ts';

type Condition = RawBuilder<unknown>;
type Filter = Extract<Term, { kind: 'filter' }>;
type MayBeNegated = { readonly negated: boolean };

export type QueryScope = {
  readonly db: Db;
  readonly gameId: string;
  readonly caller: AccountCaller;
  readonly now: Date;
};

/** Throws `invalid` with the first problem of the query. */
function termsOf(query: string): readonly Term[] {
  const { terms, problems } = parseQuery(query);
  const [problem] = problems;
  if (problem === undefined) return terms;
  throw errors.invalid(
    `query: ${(findMistake(query) ?? problem).message} See “${query.slice(problem.from, problem.to)}”.`,
  );
}

/** Throws `invalid` for a wrong query. */
export function checkQuery(query: string): void {
  termsOf(query);
}

/** What the conditions need to know about the game, read only if a term needs it. */
class Names {
  readonly #scope: QueryScope;
  #builds: Promise<readonly NamedBuild[]> | undefined;
  #members: ReturnType<typeof listMembers> | undefined;
  #hasMerges: Promise<boolean> | undefined;

  constructor(scope: QueryScope) {
    this.#scope = scope;
  }

  builds(): Promise<readonly NamedBuild[]> {
    this.#builds ??= listBuildNames(this.#scope.db, this.#scope.gameId);
    return this.#builds;
  }

  hasMerges(): Promise<boolean> {
    this.#hasMerges ??= hasMerges(this.#scope.db, this.#scope.gameId);
    return this.#hasMerges;
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
 * version and build with a report that matches all of them. Throws `invalid` for a wrong query.
 */
export async function groupConditions(scope: QueryScope, query: string): Promise<GroupConditions> {
  const terms = termsOf(query);
  const names = new Names(scope);
  const conditions: Condition[] = [];
  const inOrder: Condition[] = [];
  const counted: Filter[] = [];
  const add = (term: MayBeNegated, { condition, isCommon }: GroupCondition) =>
    (isCommon ? inOrder : conditions).push(negatedIf(term, condition));
  for (const term of terms) {
    if (term.kind === 'filter' && COUNTED.includes(term.key)) {
      if (term.negated) add(term, await groupCounted(scope, names, [term]));
      else counted.push(term);
    } else if (term.kind === 'filter' && isFacet(term.key)) add(term, await groupFacet(scope, term.key, term.values));
    else conditions.push(negatedIf(term, await groupCondition(scope, names, term)));
  }
  if (counted.length > 0) add({ negated: false }, await groupCounted(scope, names, counted));
  return { conditions, inOrder };
}

async function groupCondition(scope: QueryScope, names: Names, term: Term): Promise<Condition> {
  const { gameId, now } = scope;
  if (term.kind === 'text') return groupText(gameId, term.text);
  const { key, operator, values } = term;
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
      throw errors.invalid(`query: “${key}” is a filter of reports. List reports, or leave it out.`);
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

/** Groups with reports whose build and OS meet all these filters. */
async function groupCounted(
  { db, gameId }: QueryScope,
  names: Names,
  filters: readonly Filter[],
): Promise<GroupCondition> {
  let [oses, builds]: [string[] | undefined, string[] | undefined] = [undefined, undefined];
  for (const filter of filters) {
    if (filter.key === 'os') oses = intersect(oses, await findOses(db, gameId, osValues(filter)));
    else builds = intersect(builds, await buildIds(names, filter));
  }
  return groupHasCounted(db, gameId, { oses, buildIds: builds }, await names.hasMerges());
}

/** `among` is undefined for everything. */
function intersect(among: readonly string[] | undefined, values: readonly string[]): string[] {
  const set = new Set(values);
  return among === undefined ? [...set] : among.filter((value) => set.has(value));
}

function osValues({ values }: Filter): string[] {
  return values.map((value) => canonicalOs(value.toLowerCase()));
}

/** The builds that a filter by version, architecture or build selects, deleted ones included. */
async function buildIds(names: Names, { key, operator, values }: Filter): Promise<string[]> {
  const builds = await names.builds();
  const isWanted = {
    build: ({ build_id }: NamedBuild) => values.some((value) => value.toLowerCase() === build_id),
    arch: ({ arch }: NamedBuild) => isOneOf(values.map((value) => canonicalArch(value.toLowerCase())))(arch),
    version: ({ version }: NamedBuild) => values.some((value) => isVersion(version, operator, value)),
  }[key as 'build' | 'arch' | 'version'];
  return builds.filter(isWanted).map(({ build_id }) => build_id);
}

/** The build whose reports a query selects, if it has only filters of builds and one build meets them. */
export async function findOnlyBuild(scope: QueryScope, query: string): Promise<string | undefined> {
  const names = new Names(scope);
  let found: string[] | undefined;
  for (const term of termsOf(query)) {
    if (term.kind === 'text' || term.negated || !['version', 'build'].includes(term.key)) return undefined;
    found = intersect(found, await buildIds(names, term));
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

/** Ids of reports begin with the time at which they were received, give or take a moment, and are indexed. */
function receivedWithin(operator: Operator, value: string, now: Date): Condition {
  const { from, to } = timesOf(operator, value, now.getTime());
  const bounds = [
    within(sql`received_at`, operator, value, now),
    ...(Number.isFinite(from) ? [sql`report_id >= ${firstIdAt(Math.max(0, Math.floor(from - HOUR)))}::uuid`] : []),
    ...(Number.isFinite(to) ? [sql`report_id < ${firstIdAt(Math.max(0, Math.ceil(to + HOUR)))}::uuid`] : []),
  ];
  return sql`(${sql.join(bounds, sql` and `)})`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/** A condition that is null because a value is missing does not hold. */
function negatedIf({ negated }: MayBeNegated, condition: Condition): Condition {
  return negated ? sql`(${condition}) is not true` : sql`(${condition})`;
}

/** What a query says of the columns of reports, and searches, which need their own index. */
export type ReportConditions = Wanted & { readonly conditions: Condition[]; readonly searches: GroupSearch[] };

/** The same for the rows of `crash_reports`. Filters of groups select the reports in these groups. */
export async function reportConditions(scope: QueryScope, query: string): Promise<ReportConditions> {
  const names = new Names(scope);
  const conditions: Condition[] = [];
  const checks: Condition[] = [];
  const searches: GroupSearch[] = [];
  const keys: Key[] = [];
  for (const term of termsOf(query)) {
    const search = await searchOf(scope, term);
    const key = term.negated || search !== undefined ? undefined : await keyOf(scope, names, term as Filter);
    if (key !== undefined) {
      keys.push(key);
      conditions.push(isOneOfKey(key));
    } else if (search !== undefined && !term.negated) searches.push(search);
    else {
      const condition = negatedIf(term, search?.inRow ?? (await reportCondition(scope, names, term as Filter)));
      (isIndexed(term) ? conditions : checks).push(condition);
    }
  }
  return { conditions, checks, key: chooseKey(keys), searches };
}

/** Whether an index finds the reports that a filter without a key selects. */
function isIndexed(term: Term): boolean {
  return term.kind === 'filter' && !term.negated && ['device', 'first', 'last'].includes(term.key);
}

/** A group has fewer reports than a build, and a build fewer than an OS. Undefined if it is not needed. */
function chooseKey(keys: readonly Key[]): Key | undefined {
  const [first] = (['group_id', 'build_id', 'os'] as const).flatMap((column) =>
    keys.filter((key) => key.column === column).sort((a, b) => a.values.length - b.values.length),
  );
  // With a single value, the planner itself reads the newest reports from the index.
  return first?.values.length === 1 ? undefined : first;
}

function isOneOfKey({ column, values }: Key): Condition {
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return sql`${sql.ref(column)} = ${only}`;
  return sql`${sql.ref(column)} = any(${values}::${sql.raw(column === 'os' ? 'text[]' : 'uuid[]')})`;
}

/** Groups whose reports are found by their ids. Of more groups, the newest reports are checked. */
const MAX_GROUPS = 500;

/**
 * The values of an indexed column that a filter selects; undefined for any other filter, or if there are too many
 * values.
 */
async function keyOf(scope: QueryScope, names: Names, filter: Filter): Promise<Key | undefined> {
  const { db, gameId } = scope;
  switch (filter.key) {
    case 'os':
      return { column: 'os', values: await findOses(db, gameId, osValues(filter)) };
    case 'version':
    case 'build':
      return { column: 'build_id', values: await buildIds(names, filter) };
    case 'is':
    case 'assigned':
    case 'priority':
    case 'reports':
    case 'devices': {
      const condition = await groupCondition(scope, names, filter);
      const ids = await listGroupIds(db, gameId, condition, {
        hasMerges: await names.hasMerges(),
        limit: MAX_GROUPS + 1,
      });
      return ids.length > MAX_GROUPS ? undefined : { column: 'group_id', values: ids };
    }
    default:
      return undefined;
  }
}

async function searchOf({ db, gameId }: QueryScope, term: Term): Promise<GroupSearch | undefined> {
  if (term.kind === 'text') return matchFunction(db, gameId, term.text);
  const { key, values } = term;
  if (key === 'message') return matchWords(db, gameId, values.join(' '));
  if (key.startsWith(METADATA_PREFIX)) return matchMetadata(db, gameId, key.slice(METADATA_PREFIX.length), values);
  if (isFacet(key)) return matchValues(gameId, await findValueIds(db, gameId, key, patternsOf(values)));
  return undefined;
}

async function reportCondition(scope: QueryScope, names: Names, filter: Filter): Promise<Condition> {
  const { db, gameId, now } = scope;
  const { key, operator, values } = filter;
  switch (key) {
    case 'os':
      // This is not a pattern, because the index finds the reports of an OS, of which there may be few.
      return sql`os = any(${await findOses(db, gameId, osValues(filter))}::text[])`;
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
      return anyOf(values.map((value) => receivedWithin(operator, value, now)));
    default:
      // This is not a join, which would read all reports of the groups: there are so many that the newest reports are
      // enough.
      return sql`(group_id in (${idsOfGroups(gameId, await groupCondition(scope, names, filter), await names.hasMerges())})) is true`;
  }
}
