// Reads values of any type as the type that a field has. Clients write numbers as texts, texts as numbers, objects
// where a list is expected and null anywhere, and anyone can send anything. There is one rule: a value that can be read
// as the type is converted, and any other value counts as missing. Nothing throws, and every text can be stored.

type Fields = Readonly<Record<string, unknown>>;

/** The own field of an object; undefined for an inherited one such as `constructor`, and for anything but an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The first `max` fields in the order in which they were sent. */
export function entriesOf(value: unknown, max: number): [name: string, value: unknown][] {
  if (!isFields(value)) return [];
  const entries: [string, unknown][] = [];
  for (const name in value) {
    if (entries.length >= max) break;
    if (Object.hasOwn(value, name)) entries.push([name, value[name]]);
  }
  return entries;
}

/** A list, the list in the `values` of an object, or the object alone as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isFields(value)) return [];
  const values = fieldOf(value, 'values');
  if (Array.isArray(values)) return values;
  return values === undefined && Object.keys(value).length > 0 ? [value] : [];
}

/** A text of at most `max` characters; numbers and booleans become texts. Empty if it is missing. */
export function textOf(value: unknown, max: number): string {
  if (typeof value === 'string') return toStorable(value, max);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value).slice(0, max);
  return '';
}

/** Most names and ids, which need no further check. */
const PLAIN_WORD = /^[!-~]*$/;

/** A text in one line. */
export function lineOf(value: unknown, max: number): string {
  if (typeof value === 'string') {
    if (value.length <= max && PLAIN_WORD.test(value)) return value;
  } else if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'bigint') return '';
  // A long text of spaces must not cost more than what is kept of it.
  return toStorable(
    textOf(value, 4 * max)
      .replace(/\s+/g, ' ')
      .replace(/\p{Cc}/gu, '')
      .trim(),
    max,
  );
}

/** Cuts a text, and removes U+0000 and lone surrogates, which PostgreSQL refuses. */
export function toStorable(text: string, max: number): string {
  const cut = text.length > 2 * max ? text.slice(0, 2 * max) : text;
  const clean = cut.includes('\u0000') ? cut.replaceAll('\u0000', '') : cut;
  const short = clean.length > max ? clean.slice(0, max) : clean;
  if (short.isWellFormed()) return short;
  // A pair that was cut in half loses its first half, too.
  const isCutPair = short.length < clean.length && /[\ud800-\udbff]$/.test(short);
  return (isCutPair ? short.slice(0, -1) : short).toWellFormed();
}

/** A number, also one that was written as a text; null if it is missing or not finite. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' && /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i.test(value.slice(0, 64)))
    return numberOf(Number(value.slice(0, 64)));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A whole number from 0 to `max`; null for any other. */
export function countOf(value: unknown, max: number = Number.MAX_SAFE_INTEGER): number | null {
  const number = numberOf(value);
  return number !== null && Number.isInteger(number) && number >= 0 && number <= max ? number : null;
}

/** True or false; null if it is missing. */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true' || value === 'True') return true;
  return value === 0 || value === 'false' || value === 'False' ? false : null;
}

/** Times of before 2000 and after 2100 are those of clocks that aren't set. */
const [MIN_TIME, MAX_TIME] = [Date.UTC(2000), Date.UTC(2100)];

/**
 * A time in milliseconds, from seconds, milliseconds or a text such as `2026-11-26T11:39:12.444448154Z`; null if
 * unknown.
 */
export function timeOf(value: unknown): number | null {
  const number = numberOf(value);
  const time = number === null ? timeOfText(value) : Math.round(number < MIN_TIME ? number * 1000 : number);
  return time !== null && time >= MIN_TIME && time < MAX_TIME ? time : null;
}

/** Python writes no zone for UTC, and Go nine digits, of which three are read. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,12}))?\s*(Z|[-+]\d\d:?\d\d)?$/i;

function timeOfText(value: unknown): number | null {
  const [, day, clock, fraction = '', zone = 'Z'] =
    (typeof value === 'string' && TIME.exec(value.slice(0, 64).trim())) || [];
  if (day === undefined || clock === undefined) return null;
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const time = Date.parse(`${day}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  return Number.isNaN(time) ? null : time;
}
