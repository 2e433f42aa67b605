// The query language of crash groups and reports: `os:windows version:>=1.2 gpu:"RTX 3060" is:unassigned render::`.
//
//   query   = { term }, separated by spaces; a crash must match all of them
//   term    = [ "-" ] ( filter | text )
//   filter  = key ":" [ operator ] value { "," value }; one of the values must match
//   text    = word | '"' words '"'; in groups, part of the title or of the first functions of the game on the stack;
//             in reports, part of any function on the stack
//
// Values and texts with spaces, commas or quotes are quoted; inside of quotes, `\"` is a quote and `\\` a backslash.
// Names of C++ such as `render::draw` are texts, because a filter has one colon.

import { findNearestName } from './nearest-name.ts';

/** How the values of a filter are compared. `names` are the only values; without them, any text is one. */
type KeyType = {
  readonly description: string;
  /** text: equal, or with `*` for any characters. version, number and time can be compared with <, <=, > and >=. */
  readonly type: 'name' | 'text' | 'version' | 'number' | 'time';
  readonly names?: readonly string[];
};

/** The filters, in the order in which they are offered. docs/crash-search.md describes them. */
export const QUERY_KEYS = {
  is: {
    description: 'State of the group',
    type: 'name',
    names: ['open', 'resolved', 'snoozed', 'ignored', 'regressed', 'new', 'assigned', 'unassigned', 'merged', 'linked'],
  },
  assigned: { description: 'Assignee: me, or a name', type: 'text' },
  priority: { description: 'Priority', type: 'name', names: ['urgent', 'high', 'medium', 'low', 'none'] },
  os: { description: 'Operating system', type: 'text' },
  arch: { description: 'Processor architecture', type: 'text' },
  version: { description: 'Version of the build, such as >=1.2', type: 'version' },
  build: { description: 'ID of the build', type: 'text' },
  reason: { description: 'Reason of the crash, such as SIGSEGV*', type: 'text' },
  reports: { description: 'Number of reports, such as >100', type: 'number' },
  devices: { description: 'Number of devices, such as >10', type: 'number' },
  first: { description: 'First seen: a day, or an age such as <7d', type: 'time' },
  last: { description: 'Last seen: a day, or an age such as >30d', type: 'time' },
  os_version: { description: 'Version of the OS, such as "Windows 11*"', type: 'text' },
  gpu: { description: 'Graphics card, such as *3060*', type: 'text' },
  driver: { description: 'Version of the graphics driver', type: 'text' },
  cpu: { description: 'Processor, such as *Ryzen*', type: 'text' },
  cores: { description: 'Number of logical processors', type: 'text' },
  ram: { description: 'Memory, such as "16 GB"', type: 'text' },
  locale: { description: 'Language and region, such as de-*', type: 'text' },
  store: { description: 'Where the game is from, such as steam', type: 'text' },
  device: { description: 'Device, by its device_uid', type: 'text' },
  message: { description: "Words of the error or the player's message (reports)", type: 'text' },
} as const satisfies Readonly<Record<string, KeyType>>;

type QueryKey = keyof typeof QUERY_KEYS;
export const OPERATORS = ['>=', '<=', '>', '<'] as const;
export type Operator = (typeof OPERATORS)[number] | '=';

/** Filters of any metadata that games send with their reports. */
export const METADATA_PREFIX = 'metadata.';

export type Term = { readonly negated: boolean } & (
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'filter';
      /** One of `QUERY_KEYS`, or `metadata.` and a name. */
      readonly key: string;
      readonly operator: Operator;
      readonly values: readonly string[];
    }
);

type QueryProblem = {
  /** Where the term is in the query, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
};

type ParsedQuery = { readonly terms: readonly Term[]; readonly problems: readonly QueryProblem[] };

export const MAX_QUERY_LENGTH = 1000;
const MAX_TERMS = 20;

/** Never throws. Terms with a problem are left out. */
export function parseQuery(query: string): ParsedQuery {
  const terms: Term[] = [];
  const problems: QueryProblem[] = [];
  for (const token of tokensOf(query)) {
    const term = token.problem === undefined ? termOf(token) : token.problem;
    if (typeof term === 'string') problems.push({ from: token.from, to: token.to, message: term });
    else terms.push(term);
  }
  if (terms.length > MAX_TERMS)
    problems.push({ from: 0, to: query.length, message: `Use at most ${MAX_TERMS} conditions.` });
  return { terms, problems };
}

/** A part of a token: a quoted text never has an operator or a comma. */
type Piece = { readonly text: string; readonly isQuoted: boolean };
type Token = {
  readonly from: number;
  readonly to: number;
  readonly negated: boolean;
  /** The part before the first colon that is outside of quotes; null for a text. */
  readonly key: string | null;
  /** The values, or the text. */
  readonly pieces: readonly Piece[];
  readonly problem?: string;
};

/** Splits a query at its spaces, except inside of quotes. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    if (isSpace(query[at]!)) {
      at += 1;
      continue;
    }
    const token = readToken(query, at);
    tokens.push(token);
    at = token.to;
  }
  return tokens;
}

function readToken(query: string, from: number): Token {
  const negated = query[from] === '-' && from + 1 < query.length && !isSpace(query[from + 1]!);
  const start = negated ? from + 1 : from;
  const key = /^[a-z][a-z0-9_.-]*(?=:(?!:))/i.exec(query.slice(start, start + 100))?.[0].toLowerCase() ?? null;
  let at = key === null ? start : start + key.length + 1;
  const pieces: Piece[] = [];
  let problem: string | undefined;
  for (;;) {
    const piece = query[at] === '"' ? readQuoted(query, at) : readPlain(query, at, key !== null);
    pieces.push(piece);
    at = piece.to;
    if (piece.isOpen) problem = 'Close the quote.';
    // What follows a quote without a space belongs to the same text.
    if (key === null && at < query.length && !isSpace(query[at]!)) continue;
    if (key === null || query[at] !== ',') break;
    at += 1;
  }
  if (key !== null && problem === undefined && at < query.length && !isSpace(query[at]!)) {
    problem = 'Put a space or a comma after a quote.';
    while (at < query.length && !isSpace(query[at]!)) at += 1;
  }
  const read = { from, to: at, negated, key, pieces };
  return problem === undefined ? read : { ...read, problem };
}

type ReadPiece = Piece & { readonly to: number; readonly isOpen: boolean };

function readQuoted(query: string, from: number): ReadPiece {
  let text = '';
  for (let at = from + 1; at < query.length; at += 1) {
    const character = query[at]!;
    if (character === '"') return { text, isQuoted: true, to: at + 1, isOpen: false };
    const isEscaped = character === '\\' && (query[at + 1] === '"' || query[at + 1] === '\\');
    if (isEscaped) at += 1;
    text += query[at];
  }
  return { text, isQuoted: true, to: query.length, isOpen: true };
}

function readPlain(query: string, from: number, endsAtComma: boolean): ReadPiece {
  let to = from;
  while (to < query.length && !isSpace(query[to]!) && query[to] !== '"' && !(endsAtComma && query[to] === ',')) to += 1;
  return { text: query.slice(from, to), isQuoted: false, to, isOpen: false };
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

/** A problem as text. */
function termOf({ negated, key, pieces }: Token): Term | string {
  if (key === null) {
    const text = pieces.map((piece) => piece.text).join('');
    return text === '' ? 'Write what to search for between the quotes.' : { kind: 'text', negated, text };
  }
  if (!isKey(key)) return `There is no filter “${key}”. To search for a text with a colon, quote it.`;
  const type = typeOf(key);
  const [first] = pieces;
  const operator =
    type === 'text' || type === 'name' || first?.isQuoted === true
      ? undefined
      : OPERATORS.find((each) => first?.text.startsWith(each));
  const values = pieces.map(({ text }, index) =>
    index === 0 && operator !== undefined ? text.slice(operator.length) : text,
  );
  if (values.some((value) => value === '')) return `Write a value after “${key}:”.`;
  if (operator !== undefined && values.length > 1) return `Compare “${key}” with one value.`;
  const problem = values.map((value) => problemOf(key, type, value)).find((each) => each !== null);
  if (problem !== undefined) return problem!;
  return { kind: 'filter', negated, key, operator: operator ?? '=', values };
}

/** Whether it is the name of a filter. */
export function isKey(key: string): boolean {
  return Object.hasOwn(QUERY_KEYS, key) || (key.startsWith(METADATA_PREFIX) && key.length > METADATA_PREFIX.length);
}

export function typeOf(key: string): KeyType['type'] {
  return Object.hasOwn(QUERY_KEYS, key) ? QUERY_KEYS[key as QueryKey].type : 'text';
}

function namesOf(key: string): readonly string[] | undefined {
  const type: KeyType | undefined = Object.hasOwn(QUERY_KEYS, key) ? QUERY_KEYS[key as QueryKey] : undefined;
  return type?.names;
}

function problemOf(key: string, type: KeyType['type'], value: string): string | null {
  const names = namesOf(key);
  if (names !== undefined && !names.includes(value.toLowerCase())) return `“${key}” is one of: ${names.join(', ')}.`;
  if (type === 'number' && !/^\d{1,12}$/.test(value)) return `“${key}” is compared with a whole number.`;
  if (type === 'time' && !isTime(value)) return `“${key}” is a day such as 2026-11-30, or an age such as 7d or 12h.`;
  return null;
}

const AGE = /^(\d{1,5})([hdw])$/;

function isTime(value: string): boolean {
  return AGE.test(value) || (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(new Date(value).getTime()));
}

const HOUR_MS = 3600 * 1000;
const AGES: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/**
 * The times that a filter of type `time` selects, in milliseconds: from `from` up to, but without, `to`. A day is in UTC.
 * An age is counted back from `now`: `7d` and `<7d` are less than seven days ago, `>7d` is longer ago.
 */
export function timesOf(operator: Operator, value: string, now: number): { from: number; to: number } {
  const [, count, unit] = AGE.exec(value) ?? [];
  if (count !== undefined && unit !== undefined) {
    const edge = now - Number(count) * AGES[unit]!;
    return operator === '>' || operator === '>=' ? { from: -Infinity, to: edge } : { from: edge, to: Infinity };
  }
  const day = new Date(value).getTime();
  const next = day + AGES.d!;
  switch (operator) {
    case '=':
      return { from: day, to: next };
    case '<':
      return { from: -Infinity, to: day };
    case '<=':
      return { from: -Infinity, to: next };
    case '>':
      return { from: next, to: Infinity };
    case '>=':
      return { from: day, to: Infinity };
  }
}

/** The query of these terms. Parsing it returns the same terms. */
export function formatQuery(terms: readonly Term[]): string {
  return terms.map(formatTerm).join(' ');
}

function formatTerm(term: Term): string {
  const sign = term.negated ? '-' : '';
  if (term.kind === 'text') return sign + (isPlainText(term.text) ? term.text : quoted(term.text));
  const operator = term.operator === '=' ? '' : term.operator;
  return `${sign}${term.key}:${operator}${term.values.map((value) => formatValue(value, operator)).join(',')}`;
}

/** Whether a text means itself without quotes. */
function isPlainText(text: string): boolean {
  const [token, ...others] = tokensOf(text);
  return (
    token !== undefined &&
    others.length === 0 &&
    !token.negated &&
    token.key === null &&
    token.to === text.length &&
    token.from === 0 &&
    token.pieces.length === 1 &&
    !token.pieces[0]!.isQuoted
  );
}

/** The value as it is written after this operator, which is empty for `=`. */
export function formatValue(value: string, operator: string): string {
  const isPlain = !/[\s",]/.test(value) && !/^[<>:]/.test(operator === '' ? value : '');
  return isPlain ? value : quoted(value);
}

function quoted(text: string): string {
  return `"${text.replace(/(["\\])/g, '\\$1')}"`;
}

/** The values of a filter that is not negated; undefined if the query has none or several of it. */
export function filterOf(terms: readonly Term[], key: string): readonly string[] | undefined {
  const filters = terms.filter((term) => term.kind === 'filter' && term.key === key);
  const [only] = filters;
  if (filters.length !== 1 || only?.kind !== 'filter' || only.negated || only.operator !== '=') return undefined;
  return only.values;
}

/** The terms with one filter of this key, in its place if there was one; without any if `values` is empty. */
export function withFilter(terms: readonly Term[], key: string, values: readonly string[]): Term[] {
  const filter: Term = { kind: 'filter', negated: false, key, operator: '=', values };
  const at = terms.findIndex((term) => term.kind === 'filter' && term.key === key);
  const others = terms.filter((term) => !(term.kind === 'filter' && term.key === key));
  if (values.length === 0) return others;
  return at < 0 ? [...others, filter] : [...others.slice(0, at), filter, ...others.slice(at)];
}

// The facets of crash reports: what is known about the player's system, and the metadata of the game.

/** The facets of systems, in the order in which they are shown. Each is a filter of the same name. */
export const FACETS = {
  os_version: 'OS version',
  gpu: 'GPU',
  driver: 'GPU driver',
  cpu: 'CPU',
  cores: 'CPU cores',
  ram: 'RAM',
  locale: 'Locale',
  store: 'Store',
} as const;

export type SystemFacet = keyof typeof FACETS;

/** The name of a facet for people: `GPU`, or the key for metadata. */
export function formatFacet(facet: string): string {
  if (Object.hasOwn(FACETS, facet)) return FACETS[facet as SystemFacet];
  return facet.startsWith(METADATA_PREFIX) ? facet.slice(METADATA_PREFIX.length) : facet;
}

/** Whether it is a facet: of systems, or of metadata. */
export function isFacet(name: string): boolean {
  return Object.hasOwn(FACETS, name) || name.startsWith(METADATA_PREFIX);
}

/** The filter for a value of a facet: `gpu:"RTX 3060"`. */
export function filterOfValue(facet: string, value: string): string {
  return `${facet}:${formatValue(value, '')}`;
}

// A query with a mistake gets an explanation of what is wrong, and of what was probably meant.

export type QueryMistake = {
  readonly message: string;
  /** The whole query with the name that was probably meant, if there is one. */
  readonly suggestion?: string;
};

/** Explains the first problem of a query; null if it has none. */
export function findMistake(query: string): QueryMistake | null {
  const [problem] = parseQuery(query).problems;
  if (problem === undefined) return null;
  const { from, to, message } = problem;
  const token = tokensOf(query).find((each) => each.from === from && each.to === to);
  const meant = token === undefined ? null : findCorrection(query.slice(from, to), token);
  if (meant === null) return { message };
  const suggestion = query.slice(0, from) + meant.term + query.slice(to);
  return { message: `${message} Did you mean “${meant.name}”?`, suggestion };
}

/** Names of other tools for what our filters are about. */
const OTHER_NAMES: Readonly<Record<string, QueryKey>> = {
  ...{ status: 'is', state: 'is', owner: 'assigned', assignee: 'assigned', platform: 'os', system: 'os' },
  ...{ release: 'version', architecture: 'arch', count: 'reports', users: 'devices', seen: 'last', memory: 'ram' },
  ...{ language: 'locale', lang: 'locale', graphics: 'gpu', processor: 'cpu', text: 'message', error: 'reason' },
};

/** The term with the name that was probably meant, which then has no problem; null if nothing is similar. */
function findCorrection(term: string, { key, pieces }: Token): { term: string; name: string } | null {
  if (key === null) return null;
  const isValue = isKey(key);
  const mistyped = isValue ? pieces.find(({ text }) => problemOf(key, typeOf(key), text) !== null)?.text : key;
  const name = mistyped && findMeant(mistyped, isValue ? (namesOf(key) ?? []) : Object.keys(QUERY_KEYS));
  if (!mistyped || !name) return null;
  // A key is in lower case here, and a value comes after it.
  const start = isValue ? term.indexOf(mistyped, term.indexOf(':')) : term.toLowerCase().indexOf(key);
  const corrected = term.slice(0, start) + name + term.slice(start + mistyped.length);
  return parseQuery(corrected).problems.length === 0 ? { term: corrected, name: isValue ? name : `${name}:` } : null;
}

function findMeant(typed: string, names: readonly string[]): string | null {
  const lower = typed.toLowerCase();
  const [started, ...more] = names.filter((name) => name.startsWith(lower));
  if (started !== undefined && more.length === 0) return started;
  const others = Object.entries(OTHER_NAMES).filter(([, name]) => names.includes(name));
  const meant = Object.fromEntries([...names.map((name) => [name, name]), ...others]);
  const nearest = Object.hasOwn(meant, lower) ? lower : findNearestName(typed, Object.keys(meant));
  return nearest === null ? null : meant[nearest]!;
}
