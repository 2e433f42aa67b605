// Decides whether what a client sends are events: an ordered list of named rules, the first that objects refuses the whole request.
import type { ErrorCode, ErrorData } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { findMissingId, type Ids, NO_GAME_OR_BUILD } from '../../../kernel/client-ids.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { findBadName, findProblem, type GameEvent, isStandard, needsOf, type Problem } from './event.ts';

/** Events of one build of one game. */
export type Part = { readonly gameId: string; readonly buildId: string; readonly events: readonly GameEvent[] };

export type Refusal = {
  /** As counted in the metrics. */
  readonly rule: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: ErrorData;
};

/** Ids are as the client said them; empty where it said nothing. */
type Claim = Ids & { readonly events: readonly unknown[] | null };
type Objection = { readonly message: string; readonly data?: ErrorData };
type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  /** Null where the rule does not object. */
  readonly find: (claim: Claim) => Objection | null;
};

/** Refusal that only the database can tell; counted as the others are. */
export const UNKNOWN_BUILD: Refusal = { rule: 'unknown_build', code: 4030, message: NO_GAME_OR_BUILD };

export const NO_EVENTS = 'body: no events; send { "events": [ … ] }, or one event as an object.';
export const MANY_EVENTS = `events: more than ${LIMITS.events}; send them in several requests.`;

/** In this order: who it is from comes before what is in it, and a bad standard event before a bad custom one, wherever they stand. */
export const ACCEPTANCE_RULES: readonly Rule[] = [
  { name: 'no_ids', code: 4010, find: (claim) => objectionOf(findMissingId(claim)) },
  // They look nothing like ids of ours, so the database need not be asked.
  {
    name: 'unknown_build',
    code: 4030,
    find: ({ appId, buildId }) => (isUuid(appId) && isUuid(buildId) ? null : { message: NO_GAME_OR_BUILD }),
  },
  { name: 'no_events', code: 4001, find: ({ events }) => (events === null ? { message: NO_EVENTS } : null) },
  { name: 'many_events', code: 4130, find: ({ events }) => (isTooMany(events) ? { message: MANY_EVENTS } : null) },
  { name: 'bad_standard_event', code: 4158, find: ({ events }) => findAmong(events, findBadStandard) },
  { name: 'bad_custom_event', code: 4001, find: ({ events }) => findAmong(events, findBadCustom) },
];

/** What a request is accepted as, or why it is refused. */
export function accept({ appId, buildId, body }: Ids & { body: unknown }): { accepted: Part } | { refused: Refusal } {
  const claim = { appId, buildId, events: eventsOf(body) };
  for (const { name, code, find } of ACCEPTANCE_RULES) {
    const objection = find(claim);
    if (objection !== null) return { refused: { rule: name, code, ...objection } };
  }
  const events = claim.events as readonly GameEvent[];
  return { accepted: { gameId: appId.toLowerCase(), buildId: buildId.toLowerCase(), events } };
}

/** The events of a body: its array of them, or the object itself where it is one. */
export function eventsOf(body: unknown): readonly unknown[] | null {
  if (!isObject(body)) return null;
  const { events, event } = body;
  if (Array.isArray(events)) return events;
  return events === undefined && event !== undefined ? [body] : null;
}

export function isTooMany(events: readonly unknown[] | null): boolean {
  return events !== null && events.length > LIMITS.events;
}

/** The first of the events with a problem, which the message names by its index. */
export function findAmong(
  events: readonly unknown[] | null,
  find: (event: unknown) => Problem | null,
): Objection | null {
  for (const [index, event] of (events ?? []).entries()) {
    const found = find(event);
    if (found === null) continue;
    const field = found.field === '' ? '' : `.${found.field}`;
    return { message: `events[${index}]${field}: ${found.problem}`, data: { index, field: found.field } };
  }
  return null;
}

function findBadStandard(event: unknown): Problem | null {
  return isObject(event) && isStandard(event.event) ? findProblem(event, needsOf(event.event)) : null;
}

export function findBadCustom(event: unknown): Problem | null {
  if (!isObject(event)) return { field: '', problem: 'not an object; send each event as one.' };
  if (isStandard(event.event)) return null;
  return findBadName(event.event) ?? findProblem(event, {});
}

function objectionOf(message: string | null): Objection | null {
  return message === null ? null : { message };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
