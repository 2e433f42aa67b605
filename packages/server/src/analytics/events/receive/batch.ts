// Arranges the events of a batch in the columns that one statement writes, and folds them into counts at the same time.
// Events are counted in the order in which they arrived, and the results do not depend on how they were batched.
import { sql } from 'kysely';
import { HOUR, utcDayOf } from '../../../kernel/clock.ts';
import { bucketOf } from '../../../kernel/collections/sketch.ts';
import { BulkRows, type Column } from '../../../kernel/database/bulk-rows.ts';
import type { BuildEvents } from './accept-events.ts';
import { type GameEvent, needsOf } from './event.ts';
import { buildRefKey } from './lookup.ts';

type DeviceEntry = readonly [device: string, bits: number];
type NameEntry = readonly [name: string, count: number];
type TimeEntry = readonly [what: 'boot_ms' | 'session_seconds', bucket: number, count: number];

/** The index of a row's build in the arrays of the batch, from 1 as in PostgreSQL. */
const BUILD_NO = { name: 'build_no', type: 'integer', value: (_: unknown, no: number) => no, stored: null } as const;

export const EVENT_COLUMNS: readonly Column<GameEvent>[] = [
  BUILD_NO,
  { name: 'name', type: 'text', value: ({ event }) => event },
  { name: 'anonymous', type: 'boolean', value: ({ anonymous }) => anonymous === true },
  { name: 'device_uid', type: 'text', value: ({ device_uid }) => device_uid ?? null },
  { name: 'session_id', type: 'text', value: ({ session_id }) => session_id ?? null },
  { name: 'event_id', type: 'text', value: ({ event_id }) => event_id ?? null },
  // These two fields are only checked, and so only stored, for the standard events that have them.
  { name: 'ms', type: 'integer', value: ({ event, ms }) => (ms == null || !needsOf(event).ms ? null : ms) },
  {
    name: 'seconds',
    type: 'integer',
    value: ({ event, seconds }) => (seconds == null || !needsOf(event).seconds ? null : seconds),
  },
  {
    name: 'client_time',
    type: 'float8',
    value: ({ timestamp }) => readClientTime(timestamp),
    stored: sql`to_timestamp(event.client_time / 1000)`,
  },
  {
    name: 'properties',
    type: 'text',
    value: ({ properties }) => (properties == null ? null : JSON.stringify(properties)),
    stored: sql`event.properties::jsonb`,
  },
];

/** The columns in the order of the arguments of `changing_devices`. */
const DEVICE_COLUMNS: readonly Column<DeviceEntry>[] = [
  BUILD_NO,
  { name: 'device_uid', type: 'text', value: ([device]) => device },
  { name: 'crashed', type: 'boolean', value: ([, bits]) => (bits & CRASHED) !== 0 },
  { name: 'booted', type: 'boolean', value: ([, bits]) => (bits & BOOTED) !== 0 },
  { name: 'any_crashed', type: 'boolean', value: ([, bits]) => (bits & ANY_CRASH) !== 0 },
];

const NAME_COLUMNS: readonly Column<NameEntry>[] = [
  BUILD_NO,
  { name: 'name', type: 'text', value: ([name]) => name },
  { name: 'count', type: 'bigint', value: ([, count]) => count },
];

const TIME_COLUMNS: readonly Column<TimeEntry>[] = [
  BUILD_NO,
  { name: 'what', type: 'text', value: ([what]) => what },
  { name: 'bucket', type: 'smallint', value: ([, bucket]) => bucket },
  { name: 'count', type: 'bigint', value: ([, , count]) => count },
];

export type Batch = {
  /** When the first event counts as received. The others follow at intervals of a microsecond, within the same hour. */
  readonly at: Date;
  readonly day: string;
  readonly hour: Date;
  /** The builds of the batch, each once, and their games. */
  readonly games: readonly string[];
  readonly builds: readonly string[];
  readonly events: BulkRows<GameEvent>;
  readonly devices: BulkRows<DeviceEntry>;
  readonly names: BulkRows<NameEntry>;
  readonly times: BulkRows<TimeEntry>;
};

/** Leaves out the `repeated` events, which were written before. */
export function layOut(
  perBuild: readonly BuildEvents[],
  now: Date,
  countedName: (gameId: string, name: string) => string,
  repeated: ReadonlySet<GameEvent>,
): Batch {
  const events = new BulkRows(EVENT_COLUMNS);
  const builds = new Map<string, { gameId: string; buildId: string; buildNo: number; fold: BuildFold }>();
  for (const ofBuild of perBuild) {
    const { gameId, buildId } = ofBuild;
    const build = builds.get(buildRefKey(ofBuild)) ?? { gameId, buildId, buildNo: builds.size + 1, fold: emptyFold() };
    builds.set(buildRefKey(ofBuild), build);
    for (const event of ofBuild.events) {
      if (repeated.has(event)) continue;
      events.add(event, build.buildNo);
      addEvent(build.fold, event, countedName(gameId, event.event));
    }
  }
  const entries = [...builds.values()];
  const at = startOf(now, events.length);
  return {
    at,
    day: utcDayOf(at),
    hour: new Date(Math.floor(at.getTime() / HOUR) * HOUR),
    games: entries.map(({ gameId }) => gameId),
    builds: entries.map(({ buildId }) => buildId),
    events,
    ...countsOf(entries),
  };
}

/** `now`, or a few milliseconds earlier if the batch would otherwise reach into the next hour. */
function startOf(now: Date, count: number): Date {
  const hourEnd = (Math.floor(now.getTime() / HOUR) + 1) * HOUR;
  return new Date(Math.min(now.getTime(), hourEnd - Math.ceil(count / 1000)));
}

function countsOf(builds: readonly { buildNo: number; fold: BuildFold }[]): Pick<Batch, 'devices' | 'names' | 'times'> {
  const devices = new BulkRows(DEVICE_COLUMNS);
  const names = new BulkRows(NAME_COLUMNS);
  const times = new BulkRows(TIME_COLUMNS);
  for (const { buildNo, fold } of builds) {
    for (const entry of fold.devices) devices.add(entry, buildNo);
    for (const entry of fold.names) names.add(entry, buildNo);
    for (const [bucket, count] of fold.bootMs) times.add(['boot_ms', bucket, count], buildNo);
    for (const [bucket, count] of fold.sessionSeconds) times.add(['session_seconds', bucket, count], buildNo);
  }
  return { devices, names, times };
}

/**
 * Bits for what happened to a device with a build in a batch: it crashed before any boot_ok, it booted, and it crashed
 * at any time. 0 if it only sent other events.
 */
export const CRASHED = 1;
export const BOOTED = 2;
export const ANY_CRASH = 4;

/** The counts of a build's events. */
export type BuildFold = {
  /** The number of events by the name they are counted under. */
  readonly names: Map<string, number>;
  /** The bits of each device. */
  readonly devices: Map<string, number>;
  /** The number of values of `ms` in boot_ok and of `seconds` in session_end, by bucket. */
  readonly bootMs: Map<number, number>;
  readonly sessionSeconds: Map<number, number>;
};

export function emptyFold(): BuildFold {
  return { names: new Map(), devices: new Map(), bootMs: new Map(), sessionSeconds: new Map() };
}

/** Adds an event that arrived after the others. `counted` is the name it is counted under. */
export function addEvent(fold: BuildFold, event: GameEvent, counted: string): void {
  increase(fold.names, counted);
  const { event: name, device_uid, ms, seconds } = event;
  if (device_uid != null) fold.devices.set(device_uid, combine(fold.devices.get(device_uid) ?? 0, bitsOf(name)));
  if (name === 'boot_ok' && ms != null) increase(fold.bootMs, bucketOf(ms));
  if (name === 'session_end' && seconds != null) increase(fold.sessionSeconds, bucketOf(seconds));
}

/**
 * Combines the bits of two periods. A crash in the later period only counts as a crash on boot if the earlier period
 * has no boot_ok.
 */
export function combine(earlier: number, later: number): number {
  return (earlier & BOOTED) === 0 ? earlier | later : earlier | (later & ~CRASHED);
}

function bitsOf(name: string): number {
  if (name === 'boot_ok') return BOOTED;
  return name === 'crash' ? CRASHED | ANY_CRASH : 0;
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * Numbers from this one on are milliseconds: in seconds it would be the year 5138, in milliseconds it is March 1973.
 */
const MILLISECONDS_FROM = 1e11;
const END = Date.UTC(10_000, 0);
const MAX_LENGTH = 40;

/**
 * Milliseconds since 1970, from an ISO 8601 text or from a number of seconds or milliseconds, which may also be a text.
 * Null for anything else and for times outside the years 1970 to 9999, so an event with an invalid time is still
 * accepted.
 */
export function readClientTime(value: unknown): number | null {
  const time = typeof value === 'string' ? fromText(value) : fromNumber(value);
  return time >= 0 && time < END ? Math.round(time) : null;
}

function fromText(text: string): number {
  if (text.length > MAX_LENGTH) return Number.NaN;
  return /^\d+(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : Date.parse(text);
}

function fromNumber(value: unknown): number {
  if (typeof value !== 'number') return Number.NaN;
  return value < MILLISECONDS_FROM ? value * 1000 : value;
}
