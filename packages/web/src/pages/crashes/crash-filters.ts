// The filters of the crash lists, and how the URL stores them. All of them are part of one query.
import {
  filterOf,
  formatQuery,
  MAX_QUERY_LENGTH,
  parseQuery,
  type Term,
  withFilter,
} from '@chauffeur/contract/crash-query';
import type { CrashView } from '@chauffeur/contract/operations/crash-searches';
import {
  GROUP_ORDERS,
  GROUP_STATUSES,
  type GroupOrder,
  type GroupStatus,
} from '@chauffeur/contract/operations/crashes';

export type CrashFilters = {
  readonly view: CrashView;
  /** The filter in the query language; empty for everything. */
  readonly query: string;
  /** The order of groups. */
  readonly sort: GroupOrder;
};

/** What a view shows without parameters in the URL: groups that need attention, and all reports. */
export const DEFAULT_QUERIES: Readonly<Record<CrashView, string>> = { groups: 'is:open', reports: '' };

/** Reads the filters from the URL and ignores invalid values. Some filters apply only to reports. */
export function readFilters(search: Readonly<Record<string, string | undefined>>): CrashFilters {
  const query = search.q?.trim().slice(0, MAX_QUERY_LENGTH);
  const isOfReports = query !== undefined && parseQuery(query).terms.some(isReportTerm);
  const view = isOfReports || search.view === 'reports' ? 'reports' : 'groups';
  return {
    view,
    query: query ?? DEFAULT_QUERIES[view],
    sort: GROUP_ORDERS.find((name) => name === search.sort) ?? 'last_seen',
  };
}

function isReportTerm(term: Term): boolean {
  return term.kind === 'filter' && term.key === 'message';
}

/** The filters as URL parameters, without defaults. */
export function toSearch({ view, query, sort }: CrashFilters) {
  return {
    view: view === 'reports' ? view : undefined,
    q: query === DEFAULT_QUERIES[view] ? undefined : query,
    sort: sort === 'last_seen' ? undefined : sort,
  };
}

/** Whether an empty list may be due to the query. */
export function isFiltered({ view, query }: CrashFilters): boolean {
  return query !== '' && query !== DEFAULT_QUERIES[view];
}

/** The filter with this key, if the query has exactly one with one value, which is not negated; empty otherwise. */
export function filterValueOf(query: string, key: string): string {
  const values = filterOf(parseQuery(query).terms, key);
  return values?.length === 1 ? values[0]! : '';
}

/** The query with one filter of this key; without any if the value is empty. Parts with a problem are lost. */
export function withValue(query: string, key: string, value: string): string {
  return formatQuery(withFilter(parseQuery(query).terms, key, value === '' ? [] : [value]));
}

type IsFilter = Extract<Term, { kind: 'filter' }>;

function isFilters(terms: readonly Term[]): IsFilter[] {
  return terms.filter((term): term is IsFilter => term.kind === 'filter' && term.key === 'is' && !term.negated);
}

const isStatus = (value: string): value is GroupStatus => GROUP_STATUSES.some((status) => status === value);

/** The only status that the query selects; `all` without one, null if it selects several. */
export function statusOf(query: string): GroupStatus | 'all' | null {
  const statuses = isFilters(parseQuery(query).terms).flatMap(({ values }) => values.filter(isStatus));
  if (statuses.length > 1) return null;
  return statuses[0] ?? 'all';
}

export function withStatus(query: string, status: GroupStatus | 'all'): string {
  return withState(query, isStatus, status === 'all' ? null : status);
}

/** Whether the query selects only groups that are new in the newest build. */
export function isNewOnly(query: string): boolean {
  return isFilters(parseQuery(query).terms).some(({ values }) => values.length === 1 && values[0] === 'new');
}

export function withNewOnly(query: string, isNew: boolean): string {
  return withState(query, (value) => value === 'new', isNew ? 'new' : null);
}

/** Replaces the states that `isReplaced` selects by one, which takes the place of the first of them. */
function withState(query: string, isReplaced: (value: string) => boolean, state: string | null): string {
  const { terms } = parseQuery(query);
  const filters = isFilters(terms);
  const first = filters.find(({ values }) => values.some(isReplaced));
  const added: Term[] =
    state === null ? [] : [{ kind: 'filter', negated: false, key: 'is', operator: '=', values: [state] }];
  const changed = terms.flatMap((term): Term[] => {
    if (!filters.includes(term as IsFilter)) return [term];
    const values = (term as IsFilter).values.filter((value) => !isReplaced(value));
    return [...(term === first ? added : []), ...(values.length === 0 ? [] : [{ ...(term as IsFilter), values }])];
  });
  return formatQuery(first === undefined ? [...added, ...changed] : changed);
}
