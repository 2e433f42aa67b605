// Reads and deletes what is kept of one device. Single events have no index, so their days are looked through, one statement for each.
import { DAY } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db.ts';
import { listPartitions } from '../../../kernel/partitions.ts';
import { type DeviceEventRow, type DeviceRef, deleteEvents, readEvents } from './devices.sql.ts';

/** A request begins no further day after so long. */
const PATIENCE_MS = 2000;
const DAY_US = DAY * 1000;

/** Newest events first; `next`, in microseconds since 1970, is where another page goes on, null at the end. */
export type EventPage = { events: DeviceEventRow[]; next: number | null };

/** Events from before `before`, at most about `limit`. */
export async function readEventPage(db: Db, device: DeviceRef, before: number, limit: number): Promise<EventPage> {
  const deadline = performance.now() + PATIENCE_MS;
  const events: DeviceEventRow[] = [];
  for (const fromUs of await daysBefore(db, before)) {
    const stretch = { fromUs, toUs: Math.min(before, fromUs + DAY_US) };
    events.push(...(await readEvents(db, device, stretch, limit - events.length)));
    if (events.length >= limit) return { events, next: events.at(-1)!.received_us };
    if (performance.now() > deadline) return { events, next: fromUs };
  }
  return { events, next: null };
}

/** Beginnings of the days that have a partition, the newest first. */
async function daysBefore(db: Db, before: number): Promise<number[]> {
  const days = (await listPartitions(db, 'events')).map(
    (name) => Date.parse(`${name.slice(-'2026_11_30'.length).replaceAll('_', '-')}T00:00:00Z`) * 1000,
  );
  return days.filter((day) => day < before).reverse();
}

/** Deletes the device’s events, a day at a time; answers how many there were. Cut short, it is done again. */
export async function deleteAllEvents(db: Db, device: DeviceRef): Promise<number> {
  let deleted = 0;
  for (const partition of [...(await listPartitions(db, 'events')), 'events_default'])
    deleted += await deleteEvents(db, device, partition);
  return deleted;
}
