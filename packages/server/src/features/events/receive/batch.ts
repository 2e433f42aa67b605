// Lays out the events of a batch as the columns that one statement writes, and folds them on the way.
import { HOUR, utcDayOf } from '../../../kernel/clock.ts';
import type { Part } from './accept.ts';
import { readClientTime } from './client-time.ts';
import { type GameEvent, needsOf } from './event.ts';
import { addEvent, BOOTED, type BuildFold, CRASHED, emptyFold } from './fold.ts';
import { keyOf } from './known-builds.ts';

/** Columns of values, a row for each event. */
export type EventColumns = {
  /** Index into the batch’s builds, from 1 as in PostgreSQL. */
  readonly place: number[];
  readonly name: string[];
  readonly anonymous: boolean[];
  readonly device: (string | null)[];
  readonly session: (string | null)[];
  readonly eventId: (string | null)[];
  readonly ms: (number | null)[];
  readonly seconds: (number | null)[];
  /** Milliseconds since 1970. */
  readonly clientTime: (number | null)[];
  /** JSON. */
  readonly properties: (string | null)[];
};

export type DeviceColumns = {
  readonly place: number[];
  readonly device: string[];
  readonly crashed: boolean[];
  readonly booted: boolean[];
};

export type CountColumns = { readonly place: number[]; readonly name: string[]; readonly count: number[] };
export type TimeColumns = {
  readonly place: number[];
  readonly what: ('boot_ms' | 'session_seconds')[];
  readonly bucket: number[];
  readonly count: number[];
};

export type Batch = {
  /** When the first of the events counts as received; the others follow a microsecond apart, within the same hour. */
  readonly at: Date;
  readonly day: string;
  readonly hour: Date;
  readonly games: string[];
  readonly builds: string[];
  readonly events: EventColumns;
  readonly devices: DeviceColumns;
  readonly counts: CountColumns;
  readonly times: TimeColumns;
};

/** `repeated` are events that came before: they are left out. */
export function layOut(
  parts: readonly Part[],
  now: Date,
  countedName: (gameId: string, name: string) => string,
  repeated: ReadonlySet<GameEvent>,
): Batch {
  const events = emptyEvents();
  const builds = new Map<string, { gameId: string; buildId: string; place: number; fold: BuildFold }>();
  for (const part of parts) {
    const { gameId, buildId } = part;
    const build = builds.get(keyOf(part)) ?? { gameId, buildId, place: builds.size + 1, fold: emptyFold() };
    builds.set(keyOf(part), build);
    for (const event of part.events) {
      if (repeated.has(event)) continue;
      addRow(events, build.place, event);
      addEvent(build.fold, event, countedName(gameId, event.event));
    }
  }
  const all = [...builds.values()];
  const at = startOf(now, events.place.length);
  return {
    at,
    day: utcDayOf(at),
    hour: new Date(Math.floor(at.getTime() / HOUR) * HOUR),
    games: all.map(({ gameId }) => gameId),
    builds: all.map(({ buildId }) => buildId),
    events,
    ...columnsOf(all),
  };
}

/** So that a batch lies whole in one hour, what would reach into the next is put a few milliseconds earlier. */
function startOf(now: Date, count: number): Date {
  const hourEnd = (Math.floor(now.getTime() / HOUR) + 1) * HOUR;
  return new Date(Math.min(now.getTime(), hourEnd - Math.ceil(count / 1000)));
}

function emptyEvents(): EventColumns {
  return {
    place: [],
    name: [],
    anonymous: [],
    device: [],
    session: [],
    eventId: [],
    ms: [],
    seconds: [],
    clientTime: [],
    properties: [],
  };
}

/** Times that are not those of such an event are nobody’s, and were not looked at. */
function addRow(columns: EventColumns, place: number, event: GameEvent): void {
  const needs = needsOf(event.event);
  columns.place.push(place);
  columns.name.push(event.event);
  columns.anonymous.push(event.anonymous === true);
  columns.device.push(event.device_uid ?? null);
  columns.session.push(event.session_id ?? null);
  columns.eventId.push(event.event_id ?? null);
  columns.ms.push(needs.ms === undefined ? null : (event.ms ?? null));
  columns.seconds.push(needs.seconds === undefined ? null : (event.seconds ?? null));
  columns.clientTime.push(readClientTime(event.timestamp));
  columns.properties.push(event.properties == null ? null : JSON.stringify(event.properties));
}

function columnsOf(builds: readonly { place: number; fold: BuildFold }[]): Pick<Batch, 'devices' | 'counts' | 'times'> {
  const devices: DeviceColumns = { place: [], device: [], crashed: [], booted: [] };
  const counts: CountColumns = { place: [], name: [], count: [] };
  const times: TimeColumns = { place: [], what: [], bucket: [], count: [] };
  for (const { place, fold } of builds) {
    for (const [device, bits] of fold.devices) {
      devices.place.push(place);
      devices.device.push(device);
      devices.crashed.push((bits & CRASHED) !== 0);
      devices.booted.push((bits & BOOTED) !== 0);
    }
    for (const [name, count] of fold.names) {
      counts.place.push(place);
      counts.name.push(name);
      counts.count.push(count);
    }
    for (const [what, values] of [
      ['boot_ms', fold.bootMs],
      ['session_seconds', fold.sessionSeconds],
    ] as const) {
      for (const [bucket, count] of values) {
        times.place.push(place);
        times.what.push(what);
        times.bucket.push(bucket);
        times.count.push(count);
      }
    }
  }
  return { devices, counts, times };
}
