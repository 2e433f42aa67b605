// Turns data of any shape into pairs of a name and a short value, without what is private in it.
import { isPrivateName, redactAddress, redactText } from '../privacy.ts';
import { entriesOf, isFields, textOf, toStorable } from '../values.ts';
import type { DataPair, Pair } from './event.ts';

export const DATA_LIMITS = {
  nameLength: 64,
  valueLength: 1024,
  tags: 100,
  extra: 200,
  /** The limit for one breadcrumb. */
  breadcrumbData: 16,
} as const;

/** Fields whose value is an address, maybe without its host. */
const ADDRESS_NAME = /^(?:.*[._-])?(?:url|uri|href|from|to|page|refer(?:rer|er))$/i;

/** The value of a field; null for one that is private, empty or missing. */
function dataOf(name: string, value: unknown): DataPair | null {
  if (name === '' || isPrivateName(name)) return null;
  if (typeof value === 'boolean') return [name, value];
  if (typeof value === 'number') return Number.isFinite(value) ? [name, value] : null;
  const text =
    typeof value === 'object' && value !== null ? formatNested(value) : textOf(value, DATA_LIMITS.valueLength);
  const clean = ADDRESS_NAME.test(name) ? redactAddress(text) : redactText(text);
  return clean.trim() === '' ? null : [name, toStorable(clean, DATA_LIMITS.valueLength)];
}

/** Pairs of an object, at most `max`. */
export function pairsOf(value: unknown, max: number, prefix = ''): DataPair[] {
  return entriesOf(value, max).flatMap(([name, item]) => {
    // A name without its prefix decides whether the value is private.
    const pair = dataOf(toStorable(name, Math.max(1, DATA_LIMITS.nameLength - prefix.length)), item);
    return pair === null ? [] : [[prefix + pair[0], pair[1]] as const];
  });
}

/** Tags: an object, or a list of pairs or of objects with `key` and `value`. */
export function tagsOf(value: unknown): Pair[] {
  const entries = Array.isArray(value)
    ? value.slice(0, DATA_LIMITS.tags).map((tag: unknown) => {
        if (Array.isArray(tag)) return [tag[0] as unknown, tag[1] as unknown] as const;
        return isFields(tag) ? ([tag.key, tag.value] as const) : ([null, null] as const);
      })
    : entriesOf(value, DATA_LIMITS.tags);
  const tags = new Map<string, string>();
  for (const [key, item] of entries) {
    const name = textOf(key, DATA_LIMITS.nameLength).trim();
    const pair = dataOf(name, typeof item === 'object' ? null : item);
    if (pair !== null) tags.set(name, String(pair[1]));
  }
  return [...tags];
}

const MAX_DEPTH = 5;
const MAX_ITEMS = 50;

/** JSON of a nested value, as deep and as long as is of use. */
function formatNested(value: object): string {
  let left: number = DATA_LIMITS.valueLength;
  const format = (item: unknown, depth: number): string => {
    if (left <= 0) return '…';
    if (Array.isArray(item)) {
      if (depth >= MAX_DEPTH) return '[…]';
      const parts = item.slice(0, MAX_ITEMS).map((each) => format(each, depth + 1));
      return `[${[...parts, ...(item.length > MAX_ITEMS ? ['…'] : [])].join(',')}]`;
    }
    if (isFields(item)) {
      if (depth >= MAX_DEPTH) return '{…}';
      const parts = entriesOf(item, MAX_ITEMS)
        .filter(([name]) => !isPrivateName(name))
        .map(([name, each]) => `${quote(name)}:${format(each, depth + 1)}`);
      return `{${parts.join(',')}}`;
    }
    if (typeof item === 'string') return quote(item);
    const text = item === null ? 'null' : textOf(item, 64) || 'null';
    left -= text.length;
    return text;
  };
  const quote = (text: string): string => {
    const quoted = JSON.stringify(toStorable(text, Math.max(0, left)));
    left -= quoted.length;
    return quoted;
  };
  return format(value, 0);
}
