// Events: sent by games and counted by hour. The data of a single device can be read and deleted. Breadcrumbs are the last
// events before a crash.
import Type from 'typebox';
import { CODES } from '../errors.ts';
import { OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  ClientId,
  CrashParams,
  CursorQuery,
  Foreign,
  GameParams,
  GameRef,
  NextCursor,
  Nullable,
  SenderHeaders,
  SenderQuery,
  Timestamp,
  Uuid,
} from './fields.ts';

/** The standard events and the fields of each, in addition to the fields that every event can have. */
export const STANDARD_EVENTS = {
  session_start: {},
  boot_ok: { device_uid: 'needed', ms: 'optional' },
  first_input: { ms: 'optional' },
  session_end: { seconds: 'needed' },
  quit: {},
  crash: { device_uid: 'needed' },
} as const satisfies Record<string, { device_uid?: 'needed'; ms?: 'optional'; seconds?: 'needed' }>;

export type StandardEvent = keyof typeof STANDARD_EVENTS;

/** The name under which custom events are counted after the game's first LIMITS.eventNames names. */
export const OTHER_EVENTS = '(other)';

export const EventInput = Type.Object({
  event: Type.String({
    minLength: 1,
    maxLength: LIMITS.eventNameLength,
    description: 'session_start, boot_ok, first_input, session_end, quit, crash, or a name of your own',
  }),
  device_uid: Type.Optional(
    ClientId('A random id that stays the same for an installation; required for boot_ok and crash'),
  ),
  ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.eventMs,
      description: 'For boot_ok and first_input: milliseconds since the start',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.eventSeconds,
      description: 'For session_end, required: length of the session',
    }),
  ),
  session_id: Type.Optional(ClientId('Identifies one run of the game')),
  event_id: Type.Optional(ClientId('Identifies this event, so that a repeat within 7 days is not counted')),
  anonymous: Type.Optional(Type.Boolean()),
  timestamp: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description:
        "The client's clock: ISO 8601, or seconds or milliseconds since 1970; stored, but events are counted by arrival",
    }),
  ),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: `Not nested; at most ${LIMITS.eventProperties} keys of up to ${LIMITS.eventPropertyKeyLength} characters, texts of up to ${LIMITS.eventPropertyLength} characters`,
    }),
  ),
});

const EventsTaken = Type.Object({
  accepted: Type.Integer({ description: 'Events that were stored' }),
  repeated: Type.Integer({ description: 'Events with an event_id that was already received' }),
});

export const createEvents = defineOperation({
  id: 'events.create',
  summary: 'Send events of a game; either all of them are stored or none',
  method: 'POST',
  path: '/public/events',
  access: 'public',
  audit: false,
  crossOrigin: true,
  headers: SenderHeaders,
  headerQuery: SenderQuery,
  body: Type.Object({ events: Type.Array(EventInput, { maxItems: LIMITS.events }) }),
  otherBodies: {
    'text/plain': Type.String({
      description: 'The same JSON, for beacons and for pages that avoid a preflight request',
    }),
  },
  output: EventsTaken,
  statuses: [202],
  invalid: 'unreadableBody',
  errors: ['unreadableBody', 'missingIds', 'unknownClientIds', 'tooMany', 'invalidEvent', 'limitReached'],
  example: {
    body: { events: [{ event: 'boot_ok', device_uid: '0b51a2c8-6d3e-4f7a-9c15-3e8d7b42f601', ms: 4200 }] },
    answer: { accepted: 1, repeated: 0 },
  },
});

/**
 * Served at `/v1/events`, outside of `/api/v1`, for the analytics modules of engines, so it is not one of the API's
 * operations. The module empties its queue only after a 2xx response.
 */
export const createEngineEvents = defineOperation({
  ...createEvents,
  id: 'events.createByEngine',
  summary: "Send the queue of an engine's analytics module; valid events are stored, invalid ones are skipped",
  bodyLimit: LIMITS.engineEventBytes,
  output: Type.Object({
    ...EventsTaken.properties,
    skipped: Type.Integer({ description: 'Invalid events; sending them again does not help' }),
    reasons: Type.Array(Type.Object({ index: Type.Integer(), code: Type.Integer(), message: Type.String() }), {
      description: `The first ${LIMITS.eventReasons} skipped events: index in the request, error code and reason`,
    }),
  }),
  errors: ['unreadableBody', 'limitReached'],
  example: {
    body: { events: [{ event: 'session_end', app_id: 'my-game', build_id: '01a1fe67-c647-745d-ba4d-1e62e50c1b37' }] },
    answer: {
      accepted: 0,
      repeated: 0,
      skipped: 1,
      reasons: [
        {
          index: 0,
          code: CODES.invalidEvent,
          message: 'events[0].seconds: missing. Send a whole number of seconds from 0 to 86400.',
        },
      ],
    },
  },
});

export const listEventNames = defineOperation({
  id: 'events.names',
  summary: 'List the names of the events received in the last 30 days, most frequent first',
  method: 'GET',
  path: '/games/{uid}/events/names',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    names: Type.Array(
      Type.Object({
        name: Type.String(),
        standard: Type.Boolean(),
        count: Type.Integer(),
        last_hour: Type.String({ description: 'Start of the hour in which it was last received' }),
      }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});

const Time = Type.String({ maxLength: 40, description: 'ISO 8601 time; without a zone, UTC' });

export const countEvents = defineOperation({
  id: 'events.counts',
  summary: 'Count events by hour or day (UTC), optionally by build, OS or name',
  method: 'GET',
  path: '/games/{uid}/events/counts',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    from: Type.Optional(Type.String({ ...Time, description: 'Start, ISO 8601; 30 days ago by default' })),
    to: Type.Optional(Type.String({ ...Time, description: 'End (exclusive), ISO 8601; now by default' })),
    step: Type.Optional(
      Type.Enum(['hour', 'day'], {
        description: `day by default; at most ${LIMITS.eventChartDays.hour} days by hour, ${LIMITS.eventChartDays.day} days by day`,
      }),
    ),
    build_id: Type.Optional(Uuid),
    os: Type.Optional(OsInput),
    by: Type.Optional(
      Type.Enum(['build', 'os', 'name'], {
        description: `One series for each of the ${LIMITS.eventSeries} largest values and one for all others; a single series by default`,
      }),
    ),
  }),
  output: Type.Object({
    from: Timestamp,
    to: Timestamp,
    step: Type.Enum(['hour', 'day']),
    series: Type.Array(
      Type.Object({
        key: Nullable(
          Type.String({
            description: 'Build id, OS or name; null for the single series, and for the series of all others',
          }),
        ),
        label: Nullable(Type.String({ description: 'Version and OS of a build' })),
        total: Type.Integer(),
        points: Type.Array(Type.Object({ at: Timestamp, count: Type.Integer() }), {
          description: 'Only points with events; all others are 0',
        }),
      }),
    ),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
});

const DeviceParams = Type.Object({ uid: GameRef, device_uid: ClientId('The device_uid of its events') });

export const getDevice = defineOperation({
  id: 'events.device',
  summary: 'Get all stored data of a device: its launches with each build, and its events, newest first',
  method: 'GET',
  path: '/games/{uid}/devices/{device_uid}',
  access: 'account',
  role: 'triager',
  params: DeviceParams,
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({
    device_uid: Type.String(),
    first_seen: Nullable(Timestamp),
    builds: Type.Array(
      Type.Object({
        build_id: Uuid,
        first_seen: Timestamp,
        last_day: Type.String(),
        first_boot_at: Nullable(Timestamp),
        boot_day: Nullable(Type.String({ description: 'Last day with a boot_ok' })),
        crash_day: Nullable(Type.String({ description: 'Last day with a crash before the first boot_ok' })),
      }),
    ),
    sdk_sessions: Type.Array(
      Type.Object({ build_id: Uuid, day: Type.String(), sessions: Type.Integer(), crashed: Type.Integer() }),
      { description: "Its sessions of the last 35 days that Sentry's SDKs reported, by build and day" },
    ),
    crashes: Type.Array(Type.Object({ crash_id: Uuid, build_id: Uuid, group_id: Uuid, received_at: Timestamp }), {
      description: 'Its newest crash reports, up to 100',
    }),
    events: Type.Array(
      Type.Object({
        received_at: Timestamp,
        build_id: Uuid,
        event: Type.String(),
        anonymous: Type.Boolean(),
        session_id: Nullable(Type.String()),
        event_id: Nullable(Type.String()),
        ms: Nullable(Type.Integer()),
        seconds: Nullable(Type.Integer()),
        timestamp: Nullable(Timestamp),
        properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
      }),
      { description: 'A page can be short or empty before the end, because the time of a single request is limited' },
    ),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const deleteDevice = defineOperation({
  id: 'events.deleteDevice',
  summary: 'Delete all events of a device, its part in all counts of devices, and its ids in crash reports',
  method: 'DELETE',
  path: '/games/{uid}/devices/{device_uid}',
  access: 'account',
  role: 'admin',
  params: DeviceParams,
  output: Type.Object({
    builds: Type.Integer({ description: 'Builds that the device had used' }),
    events: Type.Integer({ description: 'Deleted events' }),
    crashes: Type.Integer({ description: 'Crash reports that no longer have its ids' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

// Breadcrumbs are the last events that a device sent in its session before a crash.

const NO_EVENTS = ['no_session', 'expired', 'not_received'] as const;

const Breadcrumb = Type.Object({
  event: Foreign(Type.String()),
  received_at: Timestamp,
  timestamp: Nullable(Type.String({ description: "Time by the device's clock, ISO 8601" })),
  seconds_before: Type.Number({
    description:
      "Seconds before the report arrived: from `timestamp`, with the device's clock set to the server's, or from `received_at`",
  }),
  properties: Foreign(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
});

export const getBreadcrumbs = defineOperation({
  id: 'crashes.breadcrumbs',
  summary: `List up to ${LIMITS.breadcrumbs} events that the device sent in the same session before a report, oldest first`,
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/breadcrumbs',
  access: 'account',
  role: 'triager',
  params: CrashParams,
  output: Type.Object({
    events: Type.Array(Breadcrumb),
    is_complete: Type.Boolean({
      description: 'false if reading took too long, so that earlier events may be missing',
    }),
    problem: Nullable(
      Type.Enum([...NO_EVENTS], {
        description:
          'Why there are no events: the report has no session_id; events of that day are no longer stored; no event of the session arrived before the report',
      }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_crash_breadcrumbs',
    when: 'Use it to see what the player did before a crash, such as which level was loaded.',
    scope: 'mcp:read',
  },
});
