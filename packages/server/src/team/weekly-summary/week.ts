// The days that a weekly summary is about.
import { DAY, MINUTE, utcDayOf } from '../../kernel/clock.ts';

/** The UTC days from `first` up to `end`, which is excluded and seven days later. */
export type Week = { readonly first: string; readonly end: string };

export type Monday = {
  readonly date: string;
  /** When the Monday began in the time zone. */
  readonly began: Date;
};

/** Null on all other days of the time zone. */
export function mondayOf(now: Date, timeZone: string): Monday | null {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  if (part('weekday') !== 'Mon') return null;
  const minutes = 60 * Number(part('hour')) + Number(part('minute'));
  const began = new Date(Math.floor(now.getTime() / MINUTE) * MINUTE - minutes * MINUTE);
  return { date: `${part('year')}-${part('month')}-${part('day')}`, began };
}

/** The seven days before the Monday. */
export function weekBefore(monday: string): Week {
  return { first: utcDayOf(new Date(Date.parse(monday) - 7 * DAY)), end: monday };
}
