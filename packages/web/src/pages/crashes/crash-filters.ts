// The filters of the crash lists, how the URL stores them, and how a query is completed while it is typed. All filters
// are part of one query.
import {
  filterOf,
  formatQuery,
  formatValue,
  MAX_QUERY_LENGTH,
  METADATA_PREFIX,
  OPERATORS,
  parseQuery,
  QUERY_KEYS,
  type Term,
  tokensOf,
  withFilter,
} from '@chauffeur/contract/crash-query';
import {
  type CrashView,
  GROUP_ORDERS,
  GROUP_STATUSES,
  type GroupOrder,
  type GroupStatus,
  type ReportKind,
} from '@chauffeur/contract/operations/crash-groups';

export type CrashFilters = {
  readonly kind: ReportKind;
  readonly view: CrashView;
  /** The filter in the query language; empty for everything. */
  readonly query: string;
  /** The order of groups. */
  readonly sort: GroupOrder;
};

/** What a view shows without parameters in the URL: groups that need attention, and all reports. */
export const DEFAULT_QUERIES: Readonly<Record<CrashView, string>> = { groups: 'is:open', reports: '' };

/** Reads the filters from the URL and ignores invalid values. Some filters apply only to reports. */
export function readCrashFilters(search: Readonly<Record<string, string | undefined>>): CrashFilters {
  const query = search.q?.trim().slice(0, MAX_QUERY_LENGTH);
  const isOfReports = query !== undefined && parseQuery(query).terms.some(isReportTerm);
  const view = isOfReports || search.view === 'reports' ? 'reports' : 'groups';
  return {
    kind: search.kind === 'error' ? 'error' : 'crash',
    view,
    query: query ?? DEFAULT_QUERIES[view],
    sort: GROUP_ORDERS.find((name) => name === search.sort) ?? 'last_seen',
  };
}

function isReportTerm(term: Term): boolean {
  return term.kind === 'filter' && term.key === 'message';
}

/** The filters as URL parameters, without defaults. */
export function toCrashSearch({ kind, view, query, sort }: CrashFilters) {
  return {
    kind: kind === 'error' ? kind : undefined,
    view: view === 'reports' ? view : undefined,
    q: query === DEFAULT_QUERIES[view] ? undefined : query,
    sort: sort === 'last_seen' ? undefined : sort,
  };
}

/** Whether an empty list may be due to the query. */
export function isCrashFiltered({ view, query }: CrashFilters): boolean {
  return query !== '' && query !== DEFAULT_QUERIES[view];
}

/**
 * The value of the filter with this key, if the query has exactly one, with one value that isn't negated; empty
 * otherwise.
 */
export function filterValueOf(query: string, key: string): string {
  const values = filterOf(parseQuery(query).terms, key);
  return values?.length === 1 ? values[0]! : '';
}

/** The query with one filter of this key, or without any if the value is empty. Parts with a problem are lost. */
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

type Completion = {
  /** What replaces the text from `from` to `to` of the query. */
  readonly insert: string;
  readonly label: string;
  readonly description: string;
};

type Completions = { readonly from: number; readonly to: number; readonly options: readonly Completion[] };

/** The values of filters that are known, by the name of the filter. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

const MAX_OPTIONS = 12;
const NONE: Completions = { from: 0, to: 0, options: [] };

/** What can be inserted at the cursor: the rest of the word before it. */
export function completeQuery(query: string, cursor: number, known: KnownValues): Completions {
  const part = partAt(query, cursor);
  if (part === null) return NONE;
  const { key, from, to, text, operator } = part;
  if (key === null) return keysFrom(text.toLowerCase(), from, to, known);
  const values = [...namesOf(key), ...(Object.hasOwn(known, key) ? known[key]! : [])];
  return {
    from,
    to,
    options: [...new Set(values)]
      .filter((value) => value.toLowerCase().includes(text) && value.toLowerCase() !== text)
      .slice(0, MAX_OPTIONS)
      .map((value) => ({ insert: `${formatValue(value, operator)} `, label: value, description: '' })),
  };
}

/** The filter whose value is being typed at the cursor, and the typed text in lower case; null elsewhere. */
export function valueAt(query: string, cursor: number): { key: string; text: string } | null {
  const part = partAt(query, cursor);
  return part === null || part.key === null ? null : { key: part.key, text: part.text };
}

/** The word before the cursor, without the key, and where it is. */
type Part = { key: string | null; from: number; to: number; text: string; operator: string };

function partAt(query: string, cursor: number): Part | null {
  const token = tokensOf(query).find(({ from, to }) => from <= cursor && cursor <= to);
  if (token === undefined) return { key: null, from: cursor, to: cursor, text: '', operator: '' };
  const start = token.from + (token.negated ? 1 : 0);
  if (cursor < start) return null;
  if (token.key === null) return { key: null, from: start, to: cursor, text: query.slice(start, cursor), operator: '' };
  // Only the last value before the cursor is completed, without its operator.
  const valuesAt = start + token.key.length + 1;
  if (cursor < valuesAt) return null;
  const typed = query.slice(valuesAt, cursor);
  const operator = OPERATORS.find((each) => typed.startsWith(each)) ?? '';
  const lastAt = Math.max(typed.lastIndexOf(',') + 1, operator.length);
  const text = typed.slice(lastAt).replaceAll('"', '').toLowerCase();
  return { key: token.key, from: valuesAt + lastAt, to: token.to, text, operator };
}

/** The keys that begin with `part`, including metadata whose values are known. */
function keysFrom(part: string, from: number, to: number, known: KnownValues): Completions {
  const ofMetadata = Object.keys(known).filter((key) => key.startsWith(METADATA_PREFIX));
  const keys = [
    ...Object.entries(QUERY_KEYS).map(([key, { description }]) => [key, description] as const),
    ...ofMetadata.map((key) => [key, 'Metadata of your game'] as const),
  ];
  const options = keys
    .filter(([key]) => key.startsWith(part))
    .map(([key, description]) => ({ insert: `${key}:`, label: `${key}:`, description }));
  return { from, to, options };
}

function namesOf(key: string): readonly string[] {
  if (!Object.hasOwn(QUERY_KEYS, key)) return [];
  const type = QUERY_KEYS[key as keyof typeof QUERY_KEYS];
  return 'names' in type ? type.names : [];
}
