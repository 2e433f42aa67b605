// Formats the hours and days of a chart: days are in UTC, as the server counts them; hours are in the visitor's time
// zone.
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

/** Formats a time for an axis: `12 Nov` or `18:00`. */
export function formatTick(at: string, step: Step): string {
  return step === 'day' ? day.format(new Date(at)) : hour.format(new Date(at));
}

/** Formats a time for a table or tooltip: `Thu, 12 Nov 2026` or `Thu 12 Nov, 18:00`. */
export function formatTime(at: string, step: Step): string {
  return step === 'day' ? fullDay.format(new Date(at)) : hourOfDay.format(new Date(at));
}
