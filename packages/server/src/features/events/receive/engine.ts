// Maps the events of the engines’ own analytics module: each says itself which game and build it is from, and has no device_uid as a rule.
import type { Ids } from '../../../kernel/client-ids.ts';
import { findMissingId, NO_GAME_OR_BUILD } from '../../../kernel/client-ids.ts';
import { isUuid } from '../../../kernel/ids.ts';
import {
  eventsOf,
  findAmong,
  findBadCustom,
  isObject,
  isTooMany,
  MANY_EVENTS,
  NO_EVENTS,
  type Part,
  type Refusal,
} from './accept.ts';
import { findProblem, type GameEvent, isId, isStandard, needsOf, type Problem, type Properties } from './event.ts';

type EngineEvent = GameEvent & Ids;

type Rule = Pick<Refusal, 'code'> & { readonly name: string; readonly find: (event: EngineEvent) => Problem | null };

/** What holds for every event, in this order. */
const EVENT_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: 4010,
    find: (event) => problemOf(event.appId === '' ? 'app_id' : 'build_id', findMissingId(event)),
  },
  {
    name: 'unknown_build',
    code: 4030,
    find: ({ appId, buildId }) =>
      isUuid(appId) && isUuid(buildId) ? null : { field: 'build_id', problem: NO_GAME_OR_BUILD },
  },
  { name: 'bad_standard_event', code: 4158, find: findBadStandard },
  { name: 'bad_custom_event', code: 4001, find: findBadCustom },
];

/**
 * What a body is accepted as, by build, or why it is refused. `request` has the ids of headers and address, for events that have none.
 */
export function acceptEngine(body: unknown, request: Ids): { accepted: Part[] } | { refused: Refusal } {
  const given = eventsOf(body);
  if (given === null) return { refused: { rule: 'no_events', code: 4001, message: NO_EVENTS } };
  if (isTooMany(given)) return { refused: { rule: 'many_events', code: 4130, message: MANY_EVENTS } };
  const events = given.map((event) => mapEvent(isObject(event) ? event : {}, request));
  for (const { name, code, find } of EVENT_RULES) {
    const objection = findAmong(events, find as (event: unknown) => Problem | null);
    if (objection !== null) return { refused: { rule: name, code, ...objection } };
  }
  return { accepted: partsOf(events) };
}

function mapEvent(event: Readonly<Record<string, unknown>>, request: Ids): EngineEvent {
  const properties = isObject(event.properties) ? event.properties : {};
  const idOf = (...values: unknown[]) => values.find(isId) ?? null;
  return {
    appId: textOf(event.app_id) || request.appId,
    buildId: textOf(event.build_id) || request.buildId,
    event: event.event as string,
    device_uid: idOf(event.device_uid, properties.device_uid),
    session_id: idOf(event.session_id),
    event_id: idOf(event.event_id),
    anonymous: event.anonymous === true,
    ms: (event.ms ?? properties.ms ?? null) as number | null,
    seconds: secondsOf(event, properties),
    timestamp: event.timestamp,
    properties: (event.properties ?? null) as Properties | null,
  };
}

/** `session_sec` is a float, in the properties or on the event. */
function secondsOf(
  event: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): number | null {
  const value = event.seconds ?? event.session_sec ?? properties.session_sec ?? properties.seconds;
  return typeof value === 'number' ? Math.round(value) : ((value ?? null) as null);
}

/** An event without a device counts, but not for launch health. */
function findBadStandard(event: EngineEvent): Problem | null {
  const { device_uid: _, ...needs } = needsOf(event.event);
  return isStandard(event.event) ? findProblem(event, needs) : null;
}

function partsOf(events: readonly EngineEvent[]): Part[] {
  const byBuild = Map.groupBy(events, ({ appId, buildId }) => `${appId}/${buildId}`.toLowerCase());
  return [...byBuild].map(([ids, together]) => {
    const [gameId = '', buildId = ''] = ids.split('/');
    return { gameId, buildId, events: together };
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function problemOf(field: string, problem: string | null): Problem | null {
  return problem === null ? null : { field, problem };
}
