// Completes a query while it is typed: the names of filters, and their values.
import { formatValue, METADATA_PREFIX, OPERATORS, QUERY_KEYS, tokensOf } from '@chauffeur/contract/crash-query';

type Completion = {
  /** What replaces the text from `from` to `to` of the query. */
  readonly insert: string;
  readonly label: string;
  readonly description: string;
};

export type Completions = { readonly from: number; readonly to: number; readonly options: readonly Completion[] };

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
  // The last value before the cursor, without its operator.
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
