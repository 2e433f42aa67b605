// Completes a query while it is typed: the names of filters, and their values.
import { formatValue, OPERATORS, QUERY_KEYS, tokensOf } from '@chauffeur/contract/crash-query';

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
  const token = tokensOf(query).find(({ from, to }) => from <= cursor && cursor <= to);
  if (token === undefined) return keysFrom('', cursor, cursor);
  const start = token.from + (token.negated ? 1 : 0);
  if (cursor < start) return NONE;
  if (token.key === null) return keysFrom(query.slice(start, cursor).toLowerCase(), start, cursor);
  // The last value before the cursor, without its operator.
  const valuesAt = start + token.key.length + 1;
  if (cursor < valuesAt) return NONE;
  const typed = query.slice(valuesAt, cursor);
  const operator = OPERATORS.find((each) => typed.startsWith(each)) ?? '';
  const lastAt = Math.max(typed.lastIndexOf(',') + 1, operator.length);
  const part = typed.slice(lastAt).replaceAll('"', '').toLowerCase();
  const values = [...namesOf(token.key), ...(Object.hasOwn(known, token.key) ? known[token.key]! : [])];
  return {
    from: valuesAt + lastAt,
    to: token.to,
    options: [...new Set(values)]
      .filter((value) => value.toLowerCase().includes(part) && value.toLowerCase() !== part)
      .slice(0, MAX_OPTIONS)
      .map((value) => ({ insert: `${formatValue(value, operator)} `, label: value, description: '' })),
  };
}

function keysFrom(part: string, from: number, to: number): Completions {
  const options = Object.entries(QUERY_KEYS)
    .filter(([key]) => key.startsWith(part))
    .map(([key, { description }]) => ({ insert: `${key}:`, label: `${key}:`, description }));
  return { from, to, options };
}

function namesOf(key: string): readonly string[] {
  if (!Object.hasOwn(QUERY_KEYS, key)) return [];
  const type = QUERY_KEYS[key as keyof typeof QUERY_KEYS];
  return 'names' in type ? type.names : [];
}
