// Reads and deletes the events of a device. They have no index, so each day is scanned by one statement.
import { DAY } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { listPartitions } from '../../../kernel/database/partitions.ts';
import { dayOfPartition } from '../partitions.ts';
import { type DeviceEventRow, type DeviceRef, deleteEvents, readEvents } from './devices.sql.ts';

/** After this time, a request does not start to read another day. */
const MAX_READ_MS = 2000;
const DAY_US = DAY * 1000;

/**
 * The newest events first. `next`, in microseconds since 1970, is where the next page starts; null on the last page.
 */
export type EventPage = { events: DeviceEventRow[]; next: number | null };

/** Reads about `limit` events from before `before`. */
export async function readEventPage(db: Db, device: DeviceRef, before: number, limit: number): Promise<EventPage> {
  const deadline = performance.now() + MAX_READ_MS;
  const events: DeviceEventRow[] = [];
  for (const fromUs of await daysBefore(db, before)) {
    const period = { fromUs, toUs: Math.min(before, fromUs + DAY_US) };
    events.push(...(await readEvents(db, device, period, limit - events.length)));
    if (events.length >= limit) return { events, next: events.at(-1)!.received_us };
    if (performance.now() > deadline) return { events, next: fromUs };
  }
  return { events, next: null };
}

/** The starts of days with a partition, the newest first. */
async function daysBefore(db: Db, before: number): Promise<number[]> {
  const days = (await listPartitions(db, 'events')).map((name) => dayOfPartition(name).getTime() * 1000);
  return days.filter((day) => day < before).reverse();
}

/** Deletes the device's events day by day and returns their number. Safe to repeat after an interruption. */
export async function deleteAllEvents(db: Db, device: DeviceRef): Promise<number> {
  let deleted = 0;
  for (const partition of [...(await listPartitions(db, 'events')), 'events_default'])
    deleted += await deleteEvents(db, device, partition);
  return deleted;
}
