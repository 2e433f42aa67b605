// How the hours and days of a chart are said: days are the service's, in UTC; hours are the visitor's own.
import type { Step } from './series.ts';

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const fullDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const hourOfDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Below an axis: `12 Nov`, or `18:00`. */
export function sayTick(at: string, step: Step): string {
  return step === 'day' ? day.format(new Date(at)) : hour.format(new Date(at));
}

/** In a table, or beside what is pointed at: `Thu, 12 Nov 2026`, or `Thu 12 Nov, 18:00`. */
export function sayTime(at: string, step: Step): string {
  return step === 'day' ? fullDay.format(new Date(at)) : hourOfDay.format(new Date(at));
}
