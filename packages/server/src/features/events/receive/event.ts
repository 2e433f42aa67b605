// Checks one event as a client sends it: rules for each of its fields, the first that objects says what is wrong.
import { LIMITS } from '@chauffeur/contract/limits';
import { STANDARD_EVENTS, type StandardEvent } from '@chauffeur/contract/operations/events';

export type Properties = Readonly<Record<string, string | number | boolean | null>>;

/** An event that passed the rules. What it does not have is undefined or null; fields of other names are nobody’s. */
export type GameEvent = {
  readonly event: string;
  readonly device_uid?: string | null;
  readonly session_id?: string | null;
  readonly event_id?: string | null;
  readonly anonymous?: boolean | null;
  readonly ms?: number | null;
  readonly seconds?: number | null;
  /** The client’s time, in whatever form. */
  readonly timestamp?: unknown;
  readonly properties?: Properties | null;
};

/** What a standard event needs and may have; of a custom one, nothing. */
export type Needs = { readonly device_uid?: 'needed'; readonly ms?: 'optional'; readonly seconds?: 'needed' };

export type Problem = { readonly field: string; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;
type Rule = { readonly field: keyof GameEvent; readonly find: (value: unknown, needs: Needs) => string | null };

const NEEDS: ReadonlyMap<string, Needs> = new Map(Object.entries(STANDARD_EVENTS));
const NOTHING: Needs = {};

export function isStandard(name: unknown): name is StandardEvent {
  return NEEDS.has(name as string);
}

export function needsOf(name: string): Needs {
  return NEEDS.get(name) ?? NOTHING;
}

const ID = new RegExp(`^[!-~]{1,${LIMITS.eventIdLength}}$`);

/** Whether it is a text that names a device, a session or an event. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Printable, and no space at either end. Names in parentheses are the service’s. */
const NAME = /^[^\p{C}\p{Z}(](?:[^\p{C}]*[^\p{C}\p{Z}])?$/u;

const BAD_ID = `use a text of 1 to ${LIMITS.eventIdLength} printable characters of ASCII without spaces.`;

const RULES: readonly Rule[] = [
  {
    field: 'device_uid',
    find: (value, { device_uid }) => {
      if (value == null)
        return device_uid === undefined ? null : 'missing; send the same random text with every event of one install.';
      return isId(value) ? null : BAD_ID;
    },
  },
  { field: 'session_id', find: (value) => (value == null || isId(value) ? null : BAD_ID) },
  { field: 'event_id', find: (value) => (value == null || isId(value) ? null : BAD_ID) },
  {
    field: 'anonymous',
    find: (value) => (value == null || typeof value === 'boolean' ? null : 'use true or false.'),
  },
  {
    field: 'ms',
    find: (value, { ms }) =>
      ms === undefined || value == null || isWhole(value, LIMITS.eventMs)
        ? null
        : `use a whole number of milliseconds from 0 to ${LIMITS.eventMs}.`,
  },
  {
    field: 'seconds',
    find: (value, { seconds }) => {
      if (seconds === undefined || isWhole(value, LIMITS.eventSeconds)) return null;
      return `${value == null ? 'missing; send' : 'use'} a whole number of seconds from 0 to ${LIMITS.eventSeconds}.`;
    },
  },
  { field: 'properties', find: (value) => (value == null ? null : findBadProperty(value)) },
];

/** What is wrong with an event of this name; null when it is a GameEvent. */
export function findProblem(event: Fields, needs: Needs): Problem | null {
  for (const { field, find } of RULES) {
    const problem = find(event[field], needs);
    if (problem !== null) return { field, problem };
  }
  return null;
}

/** What is wrong with the name of a custom event. */
export function findBadName(name: unknown): Problem | null {
  if (typeof name !== 'string' || name === '')
    return { field: 'event', problem: 'missing; send the name of the event.' };
  if (isLonger(name, LIMITS.eventNameLength))
    return { field: 'event', problem: `longer than ${LIMITS.eventNameLength} characters; shorten it.` };
  if (NAME.test(name)) return null;
  return {
    field: 'event',
    problem: 'not a name; use printable characters, not beginning with ( and without spaces at the ends.',
  };
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function findBadProperty(properties: unknown): string | null {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return 'not an object; send names and values in one.';
  const entries = Object.entries(properties);
  if (entries.length > LIMITS.eventProperties) return `more than ${LIMITS.eventProperties} properties; send fewer.`;
  for (const [key, value] of entries) {
    if (key === '' || isLonger(key, LIMITS.eventPropertyKeyLength) || !isStorable(key))
      return `a name is empty, longer than ${LIMITS.eventPropertyKeyLength} characters or not well-formed text; change it.`;
    const problem = findBadValue(value);
    if (problem !== null) return problem;
  }
  return null;
}

function findBadValue(value: unknown): string | null {
  if (value !== null && typeof value === 'object')
    return 'not flat; use texts, numbers, true, false and null as values.';
  if (typeof value !== 'string') return null;
  if (isLonger(value, LIMITS.eventPropertyLength))
    return `a text is longer than ${LIMITS.eventPropertyLength} characters; shorten it.`;
  return isStorable(value) ? null : 'a text has a NUL character or is not well-formed Unicode; send UTF-8.';
}

/** PostgreSQL takes neither U+0000 nor a lone surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** In code points, as every limit of a length. */
function isLonger(text: string, most: number): boolean {
  // A code point takes at most two units, so the short and the very long need no counting.
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}
