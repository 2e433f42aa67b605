// Times of the day in a game's time zone: when its quiet hours are, and when its digest is due.
import { DAY, MINUTE } from '../../kernel/clock.ts';

export type Schedule = {
  /** A name in the IANA database. */
  readonly timeZone: string;
  /** Times of the day such as `09:00`. */
  readonly digestAt: string;
  readonly quietHours: { readonly from: string; readonly until: string } | null;
};

export const DEFAULT_SCHEDULE: Schedule = { timeZone: 'UTC', digestAt: '09:00', quietHours: null };

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

/**
 * The last time, up to and including `now`, at which a digest was due. It is due once a day. If the clock is put back
 * and shows the time twice, it is due the first time.
 */
export function lastDigest(now: Date, { digestAt, timeZone }: Schedule): Date {
  const today = Math.floor(readClock(now.getTime(), timeZone) / DAY) * DAY;
  const due = [0, 1].map((days) => firstTime(today - days * DAY + minutesOf(digestAt) * MINUTE, timeZone));
  return new Date(due.find((time) => time <= now.getTime()) ?? due[1]!);
}

/**
 * When the clock of the time zone first shows this. If the clock is put forward and never does, the time before the
 * gap.
 */
function firstTime(shown: number, timeZone: string): number {
  const offsets = [shown - DAY, shown + DAY].map((time) => readClock(time, timeZone) - time);
  const times = offsets.map((offset) => shown - offset).sort((a, b) => a - b);
  return times.find((time) => readClock(time, timeZone) === shown) ?? times[0]!;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}

function minuteOfDay(time: Date, timeZone: string): number {
  return Math.floor((readClock(time.getTime(), timeZone) % DAY) / MINUTE);
}

/** The time at which a clock in UTC shows what one in the time zone shows now, to the minute. */
function readClock(time: number, timeZone: string): number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en', { ...numeric, timeZone, hourCycle: 'h23' }).formatToParts(time);
  const read = (type: keyof typeof numeric) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'));
}
