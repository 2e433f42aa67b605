// Receives the events of an engine's analytics module. The module sends its whole queue at once, and only discards it
// after a 2xx response. So each event is checked separately: the valid ones are written, and the response says how many
// were skipped and why. Each event has its game and build, and usually no device_uid.
import { CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/events';
import type { Context } from '../../../context.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { findGameIds } from '../../../people/client-ids/client-ids.ts';
import { type Ids, idsOf, isAboutBuild, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { isObject } from '../../../request/json.ts';
import { answer } from '../../../request/perform.ts';
import { stream } from '../../../request/route.ts';
import { noteRefusal } from '../../../ship/refusals/refusals.ts';
import { type BuildEvents, eventsOf, findBadCustom, formatProblem, NO_EVENTS } from './accept-events.ts';
import { type EventProblem, findProblem, type GameEvent, isId, isStandard, needsOf, type Properties } from './event.ts';
import { type Ingested, readBody, refuseEvents, writeEvents } from './ingest.ts';
import { buildRefKey } from './lookup.ts';

/** `POST /v1/events`. An analytics module sends no headers, and only its host can be configured. */
export const receiveEngineEvents = stream(
  contract.createEngineEvents,
  async (ctx, { request }) => {
    const body = await readBody(ctx, contract.createEngineEvents, request);
    const events = readEngineEvents(body, idsOf(request));
    if (events === null) throw refuseEvents(ctx, { rule: 'no_events', code: CODES.unreadableBody, message: NO_EVENTS });
    return answer(202, await ingestEngineEvents(ctx, events));
  },
  '/v1/events',
);

type EngineBuildEvents = BuildEvents & { events: readonly EngineEvent[] };

/**
 * Writes the valid events durably, all or none. Invalid events are not an error, because the module would then send its
 * queue again forever.
 */
async function ingestEngineEvents(
  ctx: Context,
  events: readonly EngineEvent[],
): Promise<OutputOf<typeof contract.createEngineEvents>> {
  const identified = await withGameIds(ctx, events);
  const { valid, skipped } = judgeEngineEvents(identified);
  const { ingested, unknown } = await writeWithoutUnknown(ctx, groupByBuild(valid));
  skipped.push(...unknown.flatMap((ofBuild) => ofBuild.events.map(skipUnknownBuild)));
  noteUnknownBuilds(ctx, identified, skipped);
  for (const [rule, { length }] of Map.groupBy(skipped, ({ rule }) => rule))
    ctx.metrics.eventsSkipped.inc({ rule }, length);
  const reasons = skipped
    .sort((a, b) => a.index - b.index)
    .slice(0, LIMITS.eventReasons)
    .map(({ index, code, problem }) => ({ index, code, message: formatProblem(index, problem) }));
  return { ...ingested, skipped: skipped.length, reasons };
}

function noteUnknownBuilds(ctx: Context, events: readonly EngineEvent[], skipped: readonly SkippedEvent[]): void {
  const ofUnknown = skipped.filter(isAboutBuild).map(({ index }) => events[index]!);
  for (const same of Map.groupBy(ofUnknown, ({ appId, buildId }) => `${appId} ${buildId}`).values())
    noteRefusal(ctx, same[0]!, 'event', same.length);
}

/** Writes the events of builds that exist, and returns the events of builds that do not. */
async function writeWithoutUnknown(
  ctx: Context,
  events: readonly EngineBuildEvents[],
): Promise<{ ingested: Ingested; unknown: EngineBuildEvents[] }> {
  const unknown: EngineBuildEvents[] = [];
  for (let remaining = events; remaining.length > 0; ) {
    const result = await writeEvents(ctx, remaining);
    if (!('unknown' in result)) return { ingested: result, unknown };
    unknown.push(...remaining.filter((ofBuild) => result.unknown.has(buildRefKey(ofBuild))));
    remaining = remaining.filter((ofBuild) => !result.unknown.has(buildRefKey(ofBuild)));
  }
  return { ingested: { accepted: 0, repeated: 0 }, unknown };
}

/** Replaces the slugs of games in events by their uids. */
async function withGameIds(ctx: Context, events: readonly EngineEvent[]): Promise<readonly EngineEvent[]> {
  const gameIds = await findGameIds(ctx, new Set(events.map(({ appId }) => appId)));
  if (gameIds.size === 0) return events;
  return events.map((event) => ({ ...event, appId: gameIds.get(event.appId) ?? event.appId }));
}

/** `index` is the position of the event in the request. */
type EngineEvent = GameEvent & Ids & { readonly index: number };

/** An event that was not written, and the rule that refused it. */
type SkippedEvent = {
  readonly index: number;
  readonly rule: string;
  readonly code: ErrorCode;
  readonly problem: EventProblem;
};

type Rule = {
  readonly name: string;
  readonly code: ErrorCode;
  readonly find: (event: EngineEvent) => EventProblem | null;
};

const UNKNOWN_BUILD_PROBLEM: EventProblem = { field: 'build_id', problem: UNKNOWN_BUILD.message };

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
function readEngineEvents(body: unknown, request: Ids): EngineEvent[] | null {
  const events = eventsOf(body);
  if (events === null) return null;
  return events.map((event, index) => mapEvent(index, isObject(event) ? event : NO_FIELDS, request));
}

/** Separates valid events from events to be skipped, with the reasons. Whether the builds exist is checked later. */
function judgeEngineEvents(events: readonly EngineEvent[]): { valid: EngineEvent[]; skipped: SkippedEvent[] } {
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
function skipUnknownBuild({ index }: EngineEvent): SkippedEvent {
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

/** Requires no device: an event without one is counted, but not for launch health. */
function findBadStandard(event: EngineEvent): EventProblem | null {
  const { device_uid: _, ...needs } = needsOf(event.event);
  return isStandard(event.event) ? findProblem(event, needs) : null;
}

function groupByBuild(events: readonly EngineEvent[]): EngineBuildEvents[] {
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
