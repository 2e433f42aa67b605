// Checks a single event by a rule for each field. The first rule that objects describes the problem.
import { LIMITS } from '@chauffeur/contract/limits';
import { STANDARD_EVENTS, type StandardEvent } from '@chauffeur/contract/operations/events';
import { isLonger } from '@chauffeur/contract/validate';

export type Properties = Readonly<Record<string, string | number | boolean | null>>;

/** A valid event. Missing fields are undefined or null. */
export type GameEvent = {
  readonly event: string;
  readonly device_uid?: string | null;
  readonly session_id?: string | null;
  readonly event_id?: string | null;
  readonly anonymous?: boolean | null;
  readonly ms?: number | null;
  readonly seconds?: number | null;
  /** The time of the client, in any form. */
  readonly timestamp?: unknown;
  readonly properties?: Properties | null;
};

/** The fields that a standard event requires or allows. Custom events require none. */
export type Needs = { readonly device_uid?: 'needed'; readonly ms?: 'optional'; readonly seconds?: 'needed' };

export type EventProblem = { readonly field: string; readonly problem: string };

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

/** Whether the value is a valid id of a device, session or event. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Matches printable characters, without spaces at either end. Names in parentheses are reserved. */
const NAME = /^[^\p{C}\p{Z}(](?:[^\p{C}]*[^\p{C}\p{Z}])?$/u;

const BAD_ID = `use a text of 1 to ${LIMITS.eventIdLength} printable ASCII characters without spaces.`;

const RULES: readonly Rule[] = [
  {
    field: 'device_uid',
    find: (value, { device_uid }) => {
      if (value == null)
        return device_uid === undefined
          ? null
          : 'missing. Send the same random text with every event of an installation.';
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

/** The first problem of an event; null if it is a valid GameEvent. */
export function findProblem(event: Fields, needs: Needs): EventProblem | null {
  for (const { field, find } of RULES) {
    const problem = find(event[field], needs);
    if (problem !== null) return { field, problem };
  }
  return null;
}

/** The problem of a custom event's name; null if it is valid. */
export function findBadName(name: unknown): EventProblem | null {
  if (typeof name !== 'string' || name === '')
    return { field: 'event', problem: 'missing. Send the name of the event.' };
  if (isLonger(name, LIMITS.eventNameLength))
    return { field: 'event', problem: `longer than ${LIMITS.eventNameLength} characters. Shorten it.` };
  if (NAME.test(name)) return null;
  return {
    field: 'event',
    problem: 'not a valid name. Use printable characters, without ( at the start or spaces at either end.',
  };
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function findBadProperty(properties: unknown): string | null {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return 'not an object. Send an object of names and values.';
  const entries = Object.entries(properties);
  if (entries.length > LIMITS.eventProperties) return `more than ${LIMITS.eventProperties} properties. Send fewer.`;
  for (const [key, value] of entries) {
    if (key === '' || isLonger(key, LIMITS.eventPropertyKeyLength) || !isStorable(key))
      return `a name is empty, longer than ${LIMITS.eventPropertyKeyLength} characters, or not valid Unicode. Change it.`;
    const problem = findBadValue(value);
    if (problem !== null) return problem;
  }
  return null;
}

function findBadValue(value: unknown): string | null {
  if (value !== null && typeof value === 'object')
    return 'has a nested value. Use only texts, numbers, true, false and null.';
  if (typeof value !== 'string') return null;
  if (isLonger(value, LIMITS.eventPropertyLength))
    return `a value is longer than ${LIMITS.eventPropertyLength} characters. Shorten it.`;
  return isStorable(value) ? null : 'a value has a NUL character or is not valid Unicode. Send UTF-8.';
}

/** PostgreSQL rejects U+0000 and lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
