// Times of the day in a game's time zone: when its quiet hours are, and when its digest is due.
import { MINUTE } from '../../kernel/clock.ts';

export type Schedule = {
  /** A name of the IANA database. */
  readonly timeZone: string;
  /** Times of the day such as `09:00`. */
  readonly digestAt: string;
  readonly quietHours: { readonly from: string; readonly until: string } | null;
};

export const DEFAULT_SCHEDULE: Schedule = { timeZone: 'UTC', digestAt: '09:00', quietHours: null };

const DAY_MINUTES = 24 * 60;

/** Whether the system knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  // Offsets such as `+02:00` are accepted too, but have no summer time and are not names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is sent at this time. Quiet hours from 22:00 until 08:00 pass midnight. */
export function isQuiet(now: Date, { quietHours, timeZone }: Schedule): boolean {
  if (quietHours === null) return false;
  const [from, until] = [minutesOf(quietHours.from), minutesOf(quietHours.until)];
  const minute = minuteOfDay(now, timeZone);
  return from <= until ? from <= minute && minute < until : from <= minute || minute < until;
}

/** The last time, up to and including `now`, at which a digest was due. */
export function lastDigest(now: Date, { digestAt, timeZone }: Schedule): Date {
  const due = minutesOf(digestAt);
  const since = (minuteOfDay(now, timeZone) - due + DAY_MINUTES) % DAY_MINUTES;
  const found = Math.floor(now.getTime() / MINUTE) * MINUTE - since * MINUTE;
  // The clock may have been put forward or back since then.
  const shift = ((due - minuteOfDay(new Date(found), timeZone) + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
  const shifted = new Date(found + shift * MINUTE);
  return shifted <= now && minuteOfDay(shifted, timeZone) === due ? shifted : new Date(found);
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}

function minuteOfDay(time: Date, timeZone: string): number {
  return minutesOf(
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(time),
  );
}
