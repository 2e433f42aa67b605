// The requests that cost the most to read: bodies as large as a route accepts, filled with what is slow to parse, to
// compare and to match, and headers, queries and forms of the same kind.
import { readFileSync } from 'node:fs';
import type { BodyBounds } from '@chauffeur/contract/body-bounds';
import { MIB } from '@chauffeur/contract/limits';
import type { TSchema } from 'typebox';

type Kind = 'list' | 'text' | 'number' | 'object';

/** What fills a place of a JSON body: `begin`, `item` as often as it fits, `end`. */
type Filler = {
  readonly name: string;
  readonly kind: Kind;
  readonly begin: string;
  /** The same each time, or different. */
  readonly item: string | ((index: number) => string);
  readonly end: string;
  readonly isForPatterns?: true;
};

const list = (name: string, first: string, item: Filler['item'] = `,${first}`): Filler => ({
  name: `a list of ${name}`,
  kind: 'list',
  begin: `[${first}`,
  item,
  end: ']',
});
const text = (name: string, item: string): Filler => ({
  name: `a text of ${name}`,
  kind: 'text',
  begin: '"',
  item,
  end: '"',
});
const object = (name: string, item: Filler['item']): Filler => ({
  name,
  kind: 'object',
  begin: '{"a":1',
  item,
  end: '}',
});

const FILLERS: readonly Filler[] = [
  list('empty objects', '{}'),
  list('empty lists', '[]'),
  list('numbers', '0'),
  list('equal texts', '"a"'),
  list('ids', '""', (index) => `,"00000000-0000-4000-8000-${String(index).padStart(12, '0')}"`),
  list('nearly equal objects', '{}', (index) => `,{"a":{"b":[${index}]}}`),
  text('letters', 'a'),
  { ...text('spaces', ' '), isForPatterns: true },
  { ...text('digits', '0'), isForPatterns: true },
  { ...text('hyphens', '-'), isForPatterns: true },
  { ...text('addresses', 'a@a.'), isForPatterns: true },
  { ...text('slashes', '/a'), isForPatterns: true },
  text('NUL characters', '\\u0000'),
  text('lone surrogates', '\\ud83d'),
  text('combining characters', 'e\u0301'),
  { name: 'a long number', kind: 'number', begin: '1', item: '0', end: '' },
  object('many fields', (index) => `,"k${index}":1`),
  object('one field many times', ',"__proto__":{}'),
];

const DEPTH = 30_000;
const NESTED: readonly { name: string; json: string }[] = [
  { name: 'nested lists', json: '['.repeat(DEPTH) + ']'.repeat(DEPTH) },
  { name: 'nested objects', json: `${'{"a":'.repeat(DEPTH / 2)}1${'}'.repeat(DEPTH / 2)}` },
];

export type WorstBody = { readonly name: string; readonly body: Buffer };

type Path = readonly (string | number)[];
type Schema = {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
};
type Place = { readonly path: Path; readonly schema: TSchema | undefined };

/** Bodies as large as `bounds`. Each has one place of a correct body, or the whole, filled with the worst. */
export function* worstBodies(correct: unknown, schema: TSchema | undefined, bounds: BodyBounds): Generator<WorstBody> {
  const places = placesOf(correct, schema);
  for (const place of places) {
    const isWhole = place.path.length === 0;
    const whole = JSON.stringify(replaced(correct, place.path, MARK));
    const [before = '', after = ''] = whole.split(JSON.stringify(MARK));
    const at = isWhole ? 'the body' : place.path.join('.');
    // Larger ones only as a whole: they take long to send.
    const bytes = isWhole ? bounds.bytes : Math.min(bounds.bytes, MIB);
    const room = bytes - Buffer.byteLength(before) - Buffer.byteLength(after);
    const hasPattern = ['pattern', 'format'].some((keyword) => keyword in (place.schema ?? {}));
    for (const filler of fillersOf(place, schema !== undefined || places.length > 1)) {
      // Characters matter only to patterns, and to what makes a text invalid.
      if (!isWhole && !hasPattern && filler.isForPatterns) continue;
      // These are as many values as are parsed, and for the whole also as many as fit.
      const counts = isWhole && filler.kind !== 'text' ? [Infinity, bounds.values / 4] : [bounds.values / 4];
      for (const max of counts)
        yield { name: `${filler.name} at ${at}`, body: Buffer.from(before + fill(filler, room, max) + after) };
    }
    if (!isWhole) continue;
    for (const { name, json } of NESTED)
      if (json.length <= room) yield { name: `${name} at ${at}`, body: Buffer.from(before + json + after) };
  }
}

const MARK = 'the place to fill';

function fill({ begin, item, end }: Filler, room: number, maxItems: number): string {
  const left = room - begin.length - end.length;
  if (typeof item === 'string') {
    const count = Math.floor(Math.min(left / Buffer.byteLength(item), maxItems));
    return begin + item.repeat(Math.max(0, count)) + end;
  }
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; index < maxItems; index += 1) {
    const next = item(index);
    length += next.length;
    if (length > left) break;
    parts.push(next);
  }
  return begin + parts.join('') + end;
}

const KINDS: Readonly<Record<string, Kind>> = {
  array: 'list',
  string: 'text',
  integer: 'number',
  number: 'number',
  object: 'object',
};

/** Those of the type that the place has, and one of another; few for a body that nothing is read of. */
function fillersOf({ path, schema }: Place, isRead: boolean): readonly Filler[] {
  if (!isRead) return FILLERS.filter((_, index) => index % 5 === 0);
  if (path.length === 0 || schema === undefined) return FILLERS;
  const { type, anyOf = [] } = schema as Schema;
  const kinds = [type, ...anyOf.map((choice) => (choice as Schema).type)].map((name) => KINDS[name ?? '']);
  return FILLERS.filter(({ kind }, index) => index === 0 || kinds.includes(kind));
}

/** The whole body, and every field that it or its schema has. */
function placesOf(value: unknown, schema: TSchema | undefined): Place[] {
  const choices = [schema, ...((schema as Schema | undefined)?.anyOf ?? [])] as (Schema | undefined)[];
  const properties: Record<string, TSchema> = Object.assign({}, ...choices.map((choice) => choice?.properties));
  const items = choices.find((choice) => choice?.items !== undefined)?.items;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const names = new Set([...Object.keys(properties), ...(isObject ? Object.keys(value) : [])]);
  const parts: (readonly [name: string | number, part: unknown, schema: TSchema | undefined])[] = [...names].map(
    (name) => [name, isObject ? (value as Record<string, unknown>)[name] : undefined, properties[name]],
  );
  if (items !== undefined) parts.push([0, Array.isArray(value) ? value[0] : {}, items]);
  const inside = parts.flatMap(([name, part, inner]) =>
    placesOf(part, inner).map((place) => ({ ...place, path: [name, ...place.path] })),
  );
  return [{ path: [], schema }, ...inside];
}

function replaced(value: unknown, [name, ...rest]: Path, by: string): unknown {
  if (name === undefined) return by;
  if (typeof name === 'number') return [replaced(Array.isArray(value) ? value[name] : undefined, rest, by)];
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...fields, [name]: replaced(fields[name], rest, by) };
}

/** The processor time that a process has used, in milliseconds. */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime and stime are the 14th and 15th fields. The second, the name of the program, can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

const MS_PER_TICK = 10;
