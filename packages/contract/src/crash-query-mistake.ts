// Explains what is wrong with a query in the language of crash-query.ts, and what was probably meant.
import {
  isKey,
  namesOf,
  parseQuery,
  problemOf,
  QUERY_KEYS,
  type QueryKey,
  type Token,
  tokensOf,
  typeOf,
} from './crash-query.ts';
import { findNearestName } from './nearest-name.ts';

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
