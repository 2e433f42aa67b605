// Events: sent by games, counted by hour for developers; what is kept of one device can be read and deleted.
import Type from 'typebox';
import { OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  CursorQuery,
  GameParams,
  GameRef,
  NextCursor,
  Nullable,
  SenderHeaders,
  SenderQuery,
  Timestamp,
  Uuid,
} from './fields.ts';

/** The standard events with the fields of each, beside those that every event may have. */
export const STANDARD_EVENTS = {
  session_start: {},
  boot_ok: { device_uid: 'needed', ms: 'optional' },
  first_input: { ms: 'optional' },
  session_end: { seconds: 'needed' },
  quit: {},
  crash: { device_uid: 'needed' },
} as const satisfies Record<string, { device_uid?: 'needed'; ms?: 'optional'; seconds?: 'needed' }>;

export type StandardEvent = keyof typeof STANDARD_EVENTS;

/** What all custom names beyond the game’s first LIMITS.eventNames count under. */
export const OTHER_EVENTS = '(other)';

const Id = (what: string) =>
  Type.String({
    pattern: `^[!-~]{1,${LIMITS.eventIdLength}}$`,
    description: `${what}: 1 to ${LIMITS.eventIdLength} printable characters of ASCII, no spaces`,
  });

export const EventInput = Type.Object({
  event: Type.String({
    minLength: 1,
    maxLength: LIMITS.eventNameLength,
    description: 'session_start, boot_ok, first_input, session_end, quit, crash, or a name of your own',
  }),
  device_uid: Type.Optional(Id('A random text, the same for every event of one install; boot_ok and crash need it')),
  ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.eventMs,
      description: 'Of boot_ok and first_input: milliseconds since the start',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.eventSeconds,
      description: 'Of session_end, which needs it: length of the session',
    }),
  ),
  session_id: Type.Optional(Id('Of one run of the game')),
  event_id: Type.Optional(Id('Of this one event: sent again within 7 days, it does not count again')),
  anonymous: Type.Optional(Type.Boolean()),
  timestamp: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description:
        'By the client’s clock: ISO 8601, or seconds or milliseconds since 1970; kept, but counted is when it arrives',
    }),
  ),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: `Flat; at most ${LIMITS.eventProperties} keys of up to ${LIMITS.eventPropertyKeyLength} characters, texts of up to ${LIMITS.eventPropertyLength}`,
    }),
  ),
});

const EventsTaken = Type.Object({
  accepted: Type.Integer({ description: 'Events that count now' }),
  repeated: Type.Integer({ description: 'Events that had come before, by their event_id' }),
});

export const createEvents = defineOperation({
  id: 'events.create',
  summary: 'Send events of a game: all of the request are taken, or none',
  method: 'POST',
  path: '/public/events',
  access: 'public',
  crossOrigin: true,
  headers: SenderHeaders,
  headerQuery: SenderQuery,
  body: Type.Object({ events: Type.Array(EventInput, { maxItems: LIMITS.events }) }),
  otherBodies: {
    'text/plain': Type.String({ description: 'The same JSON, as beacons and pages without a preflight send it' }),
  },
  output: EventsTaken,
  statuses: [202],
  invalid: 4001,
  errors: [4001, 4010, 4030, 4130, 4158, 4290],
  example: {
    body: { events: [{ event: 'boot_ok', device_uid: '0b51a2c8-6d3e-4f7a-9c15-3e8d7b42f601', ms: 4200 }] },
    answer: { accepted: 1, repeated: 0 },
  },
});

/**
 * Served at `/v1/events`, outside of `/api/v1`, for the engines’ own analytics module; so it is not among the API’s operations. The
 * module drops its queue only when the answer is 2xx.
 */
export const createEngineEvents = defineOperation({
  ...createEvents,
  id: 'events.createByEngine',
  summary: 'Send the queue of an engine’s analytics module: good events are taken, bad ones are skipped',
  bodyLimit: LIMITS.engineEventBytes,
  output: Type.Object({
    ...EventsTaken.properties,
    skipped: Type.Integer({ description: 'Events that were not taken; sending them again does not help' }),
    reasons: Type.Array(Type.Object({ index: Type.Integer(), code: Type.Integer(), message: Type.String() }), {
      description: `Of the first ${LIMITS.eventReasons} skipped events: place in the request, error code and what is wrong`,
    }),
  }),
  errors: [4001, 4290],
  example: {
    body: { events: [{ event: 'session_end', app_id: 'my-game', build_id: '01a1fe67-c647-745d-ba4d-1e62e50c1b37' }] },
    answer: {
      accepted: 0,
      repeated: 0,
      skipped: 1,
      reasons: [
        {
          index: 0,
          code: 4158,
          message: 'events[0].seconds: missing; send a whole number of seconds from 0 to 86400.',
        },
      ],
    },
  },
});

export const listEventNames = defineOperation({
  id: 'events.names',
  summary: 'Names of the events that came in the last 30 days, the most frequent first',
  method: 'GET',
  path: '/games/{uid}/events/names',
  access: 'account',
  params: GameParams,
  output: Type.Object({
    names: Type.Array(
      Type.Object({
        name: Type.String(),
        standard: Type.Boolean(),
        count: Type.Integer(),
        last_hour: Type.String({ description: 'The hour in which it came last, as the time of its beginning' }),
      }),
    ),
  }),
  statuses: [200],
  errors: [4040],
});

const Time = Type.String({ maxLength: 40, description: 'ISO 8601 time; without a zone, UTC' });

export const countEvents = defineOperation({
  id: 'events.counts',
  summary: 'How often events came by hour or day (UTC), by build, system or name',
  method: 'GET',
  path: '/games/{uid}/events/counts',
  access: 'account',
  params: GameParams,
  query: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    from: Type.Optional(Type.String({ ...Time, description: 'Beginning, ISO 8601; 30 days ago where absent' })),
    to: Type.Optional(Type.String({ ...Time, description: 'End, ISO 8601, not included; now where absent' })),
    step: Type.Optional(
      Type.Enum(['hour', 'day'], {
        description: `day where absent; by hour for up to ${LIMITS.eventChartDays.hour} days, by day for up to ${LIMITS.eventChartDays.day}`,
      }),
    ),
    build_id: Type.Optional(Uuid),
    os: Type.Optional(OsInput),
    by: Type.Optional(
      Type.Enum(['build', 'os', 'name'], {
        description: `A series for each of the ${LIMITS.eventSeries} largest, and one of all others; absent: one of all`,
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
            description: 'Build id, system or name; null for all together, or for all beyond the largest',
          }),
        ),
        label: Nullable(Type.String({ description: 'Version and system of a build' })),
        total: Type.Integer(),
        points: Type.Array(Type.Object({ at: Timestamp, count: Type.Integer() }), {
          description: 'Only those with an event; all others are 0',
        }),
      }),
    ),
  }),
  statuses: [200],
  errors: [4006, 4040],
});

const DeviceParams = Type.Object({ uid: GameRef, device_uid: Id('As in its events') });

export const getDevice = defineOperation({
  id: 'events.device',
  summary: 'All that is kept of one device: how far it came with each build, and its events, newest first',
  method: 'GET',
  path: '/games/{uid}/devices/{device_uid}',
  access: 'account',
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
      { description: 'A page may be short, or empty, before the end: one request looks through days for some seconds' },
    ),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: [4040],
});

export const deleteDevice = defineOperation({
  id: 'events.deleteDevice',
  summary: 'Delete all that is kept of one device; it leaves launch health and the number of devices, too',
  method: 'DELETE',
  path: '/games/{uid}/devices/{device_uid}',
  access: 'account',
  params: DeviceParams,
  output: Type.Object({
    builds: Type.Integer({ description: 'Builds that it was a device of' }),
    events: Type.Integer({ description: 'Events that were removed' }),
  }),
  statuses: [200],
  errors: [4040],
});
