// Maps the events of an engine's analytics module and checks each event separately, because the module sends its whole
// queue at once, and only discards it after a 2xx response. Each event has its game and build, and usually no
// device_uid.
import { CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { type Ids, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { isObject } from '../../../request/json.ts';
import { eventsOf, findBadCustom, type Part } from './accept.ts';
import { findProblem, type GameEvent, isId, isStandard, needsOf, type Problem, type Properties } from './event.ts';

/** `index` is the event's position in the request. */
export type EngineEvent = GameEvent & Ids & { readonly index: number };

/** An event that was not written, and the rule that refused it. */
export type SkippedEvent = {
  readonly index: number;
  readonly rule: string;
  readonly code: ErrorCode;
  readonly problem: Problem;
};

type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  readonly find: (event: EngineEvent) => Problem | null;
};

const UNKNOWN_BUILD_PROBLEM: Problem = { field: 'build_id', problem: UNKNOWN_BUILD.message };

/** Checked in this order. An event is skipped by the first rule that objects. */
const EVENT_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: CODES.missingIds,
    find: ({ appId, buildId }) => {
      if (appId === '') return { field: 'app_id', problem: 'missing. Send the uid or slug of the game.' };
      if (buildId === '') return { field: 'build_id', problem: 'missing. Send the build_id of the exact build.' };
      return null;
    },
  },
  {
    name: UNKNOWN_BUILD.rule,
    code: UNKNOWN_BUILD.code,
    find: ({ appId, buildId }) => (isUuid(appId) && isUuid(buildId) ? null : UNKNOWN_BUILD_PROBLEM),
  },
  { name: 'bad_standard_event', code: CODES.invalidEvent, find: findBadStandard },
  { name: 'bad_custom_event', code: CODES.unreadableBody, find: findBadCustom },
];

/**
 * The events of a body; null if it has none. `request` has the ids from the headers and the query, for events without
 * ids.
 */
export function readEngineEvents(body: unknown, request: Ids): EngineEvent[] | null {
  const events = eventsOf(body);
  if (events === null) return null;
  return events.map((event, index) => mapEvent(index, isObject(event) ? event : NO_FIELDS, request));
}

/** Separates valid events from events to be skipped, with the reasons. Whether the builds exist is checked later. */
export function judgeEngineEvents(events: readonly EngineEvent[]): { valid: EngineEvent[]; skipped: SkippedEvent[] } {
  const [valid, skipped]: [EngineEvent[], SkippedEvent[]] = [[], []];
  for (const event of events) {
    const objection = findObjection(event);
    if (objection === null) valid.push(event);
    else skipped.push(objection);
  }
  return { valid, skipped };
}

function findObjection(event: EngineEvent): SkippedEvent | null {
  for (const { name, code, find } of EVENT_RULES) {
    const problem = find(event);
    if (problem !== null) return { index: event.index, rule: name, code, problem };
  }
  return null;
}

/** Skips an event whose build does not belong to its game. */
export function skipUnknownBuild({ index }: EngineEvent): SkippedEvent {
  const { rule, code } = UNKNOWN_BUILD;
  return { index, rule, code, problem: UNKNOWN_BUILD_PROBLEM };
}

const NO_FIELDS: Readonly<Record<string, unknown>> = {};

function mapEvent(index: number, event: Readonly<Record<string, unknown>>, request: Ids): EngineEvent {
  const properties = isObject(event.properties) ? event.properties : NO_FIELDS;
  return {
    index,
    appId: textOf(event.app_id) || request.appId,
    buildId: textOf(event.build_id) || request.buildId,
    event: event.event as string,
    device_uid: idOf(event.device_uid) ?? idOf(properties.device_uid),
    session_id: idOf(event.session_id),
    event_id: idOf(event.event_id),
    anonymous: event.anonymous === true,
    ms: (event.ms ?? properties.ms ?? null) as number | null,
    seconds: secondsOf(event, properties),
    timestamp: event.timestamp,
    properties: (event.properties ?? null) as Properties | null,
  };
}

/** `session_sec` is a float, and may be in the event or its properties. */
function secondsOf(
  event: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): number | null {
  const value = event.seconds ?? event.session_sec ?? properties.session_sec ?? properties.seconds;
  return typeof value === 'number' ? Math.round(value) : ((value ?? null) as null);
}

/** A device is not required: events without one are counted, but not for launch health. */
function findBadStandard(event: EngineEvent): Problem | null {
  const { device_uid: _, ...needs } = needsOf(event.event);
  return isStandard(event.event) ? findProblem(event, needs) : null;
}

/** Groups the events by build. */
export function partsOf(events: readonly EngineEvent[]): (Part & { events: readonly EngineEvent[] })[] {
  const byBuild = Map.groupBy(events, ({ appId, buildId }) => `${appId}/${buildId}`.toLowerCase());
  return [...byBuild].map(([ids, eventsOfBuild]) => {
    const [gameId = '', buildId = ''] = ids.split('/');
    return { gameId, buildId, events: eventsOfBuild };
  });
}

function idOf(value: unknown): string | null {
  return isId(value) ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
