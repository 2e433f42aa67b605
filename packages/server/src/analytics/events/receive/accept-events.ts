// Decides whether a request contains valid events: an ordered list of named rules. The first rule that objects refuses
// the request.
import { CODES, type ErrorCode, type ErrorData } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { findMissingId, type Ids, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { isObject } from '../../../request/json.ts';
import { type EventProblem, findBadName, findProblem, type GameEvent, isStandard, needsOf } from './event.ts';

/** The events of a request or batch that belong to one build. */
export type BuildEvents = { readonly gameId: string; readonly buildId: string; readonly events: readonly GameEvent[] };

export type EventRefusal = {
  /** The label in the metrics. */
  readonly rule: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: ErrorData;
};

/** A request that has not been checked. Ids are empty if missing. */
type Request = Ids & { readonly events: readonly unknown[] | null };
type Objection = { readonly message: string; readonly data?: ErrorData };
type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  /** Null if the rule does not object. */
  readonly find: (request: Request) => Objection | null;
};

export const NO_EVENTS = 'body: no events. Send { "events": [ … ] }, or one event as an object.';
const MANY_EVENTS = `events: more than ${LIMITS.events}. Send them in several requests.`;

/** Checked in this order: the ids before the events, and standard events before custom ones. */
const ACCEPTANCE_RULES: readonly Rule[] = [
  { name: 'no_ids', code: CODES.missingIds, find: (request) => objectionOf(findMissingId(request)) },
  // A text that is not an id needs no query.
  {
    name: UNKNOWN_BUILD.rule,
    code: UNKNOWN_BUILD.code,
    find: ({ appId, buildId }) => (isUuid(appId) && isUuid(buildId) ? null : { message: UNKNOWN_BUILD.message }),
  },
  {
    name: 'no_events',
    code: CODES.unreadableBody,
    find: ({ events }) => (events === null ? { message: NO_EVENTS } : null),
  },
  {
    name: 'many_events',
    code: CODES.tooMany,
    find: ({ events }) => (isTooMany(events) ? { message: MANY_EVENTS } : null),
  },
  { name: 'bad_standard_event', code: CODES.invalidEvent, find: ({ events }) => findAmong(events, findBadStandard) },
  { name: 'bad_custom_event', code: CODES.unreadableBody, find: ({ events }) => findAmong(events, findBadCustom) },
];

/** Checks a request by all rules. */
export function acceptEvents({
  appId,
  buildId,
  body,
}: Ids & { body: unknown }): { accepted: BuildEvents } | { refused: EventRefusal } {
  const request = { appId, buildId, events: eventsOf(body) };
  for (const { name, code, find } of ACCEPTANCE_RULES) {
    const objection = find(request);
    if (objection !== null) return { refused: { rule: name, code, ...objection } };
  }
  const events = request.events as readonly GameEvent[];
  return { accepted: { gameId: appId.toLowerCase(), buildId: buildId.toLowerCase(), events } };
}

/** The array of events in a body, or the body itself if it is an event. Null if it has no events. */
export function eventsOf(body: unknown): readonly unknown[] | null {
  if (!isObject(body)) return null;
  const { events, event } = body;
  if (Array.isArray(events)) return events;
  return events === undefined && event !== undefined ? [body] : null;
}

function isTooMany(events: readonly unknown[] | null): boolean {
  return events !== null && events.length > LIMITS.events;
}

/** The first problem of an event; the message has the event's index. */
function findAmong(events: readonly unknown[] | null, find: (event: unknown) => EventProblem | null): Objection | null {
  for (const [index, event] of (events ?? []).entries()) {
    const problem = find(event);
    if (problem === null) continue;
    return { message: formatProblem(index, problem), data: { index, field: problem.field } };
  }
  return null;
}

/** `events[3].ms: use a whole number of milliseconds …` */
export function formatProblem(index: number, { field, problem }: EventProblem): string {
  return field === '' ? `events[${index}]: ${problem}` : `events[${index}].${field}: ${problem}`;
}

function findBadStandard(event: unknown): EventProblem | null {
  return isObject(event) && isStandard(event.event) ? findProblem(event, needsOf(event.event)) : null;
}

export function findBadCustom(event: unknown): EventProblem | null {
  if (!isObject(event)) return { field: '', problem: 'not an object. Send each event as one.' };
  if (isStandard(event.event)) return null;
  return findBadName(event.event) ?? findProblem(event, {});
}

function objectionOf(message: string | null): Objection | null {
  return message === null ? null : { message };
}
