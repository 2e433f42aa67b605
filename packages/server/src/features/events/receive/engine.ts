// Maps the events of the engines’ own analytics module and judges each of them alone: the module sends its whole queue at once, and
// only drops it on 2xx. Each event names its game and build, and usually has no device_uid.
import type { ErrorCode } from '@chauffeur/contract/errors';
import type { Ids } from '../../../kernel/client-ids.ts';
import { NO_GAME_OR_BUILD } from '../../../kernel/client-ids.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { eventsOf, findBadCustom, isObject, type Part } from './accept.ts';
import { findProblem, type GameEvent, isId, isStandard, needsOf, type Problem, type Properties } from './event.ts';

/** `index` is the event’s place in the request. */
export type EngineEvent = GameEvent & Ids & { readonly index: number };

/** An event that was not taken, and the rule that objected to it. */
export type SkippedEvent = {
  readonly index: number;
  readonly rule: string;
  readonly code: ErrorCode;
  readonly message: string;
};

type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  readonly find: (event: EngineEvent) => Problem | null;
};

/** What holds for every event, in this order. */
const EVENT_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: 4010,
    find: ({ appId, buildId }) => {
      if (appId === '') return { field: 'app_id', problem: 'missing; send the uid or slug of the game.' };
      if (buildId === '') return { field: 'build_id', problem: 'missing; send the build_id of the exact build.' };
      return null;
    },
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

/** The events of a body; null when it has no list of them. `request` has the ids of headers and address, for events that name none. */
export function readEngineEvents(body: unknown, request: Ids): EngineEvent[] | null {
  const given = eventsOf(body);
  if (given === null) return null;
  return given.map((event, index) => ({ index, ...mapEvent(isObject(event) ? event : {}, request) }));
}

/** Which of the events are taken, and why the others are not. Only the database knows whether a build exists. */
export function judgeEngineEvents(events: readonly EngineEvent[]): { good: EngineEvent[]; skipped: SkippedEvent[] } {
  const [good, skipped]: [EngineEvent[], SkippedEvent[]] = [[], []];
  for (const event of events) {
    const objection = findObjection(event);
    if (objection === null) good.push(event);
    else skipped.push(objection);
  }
  return { good, skipped };
}

function findObjection(event: EngineEvent): SkippedEvent | null {
  for (const { name, code, find } of EVENT_RULES) {
    const found = find(event);
    if (found === null) continue;
    const field = found.field === '' ? '' : `.${found.field}`;
    return { index: event.index, rule: name, code, message: `events[${event.index}]${field}: ${found.problem}` };
  }
  return null;
}

/** An event of a build that its game does not have. */
export function skipUnknownBuild({ index }: EngineEvent): SkippedEvent {
  return { index, rule: 'unknown_build', code: 4030, message: `events[${index}].build_id: ${NO_GAME_OR_BUILD}` };
}

function mapEvent(event: Readonly<Record<string, unknown>>, request: Ids): Omit<EngineEvent, 'index'> {
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

/** The events by the build that they are of. */
export function partsOf(events: readonly EngineEvent[]): (Part & { events: readonly EngineEvent[] })[] {
  const byBuild = Map.groupBy(events, ({ appId, buildId }) => `${appId}/${buildId}`.toLowerCase());
  return [...byBuild].map(([ids, together]) => {
    const [gameId = '', buildId = ''] = ids.split('/');
    return { gameId, buildId, events: together };
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
