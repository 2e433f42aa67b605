// Arranges the events of a batch in the columns that one statement writes, and folds them into counts at the same time.
import { sql } from 'kysely';
import { HOUR, utcDayOf } from '../../../kernel/clock.ts';
import { BulkRows, type Column } from '../../../kernel/database/bulk-rows.ts';
import type { BuildEvents } from './accept-events.ts';
import { readClientTime } from './client-time.ts';
import { type GameEvent, needsOf } from './event.ts';
import { ANY_CRASH, addEvent, BOOTED, type BuildFold, CRASHED, emptyFold } from './fold.ts';
import { keyOf } from './lookup.ts';

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
    const build = builds.get(keyOf(ofBuild)) ?? { gameId, buildId, buildNo: builds.size + 1, fold: emptyFold() };
    builds.set(keyOf(ofBuild), build);
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
