// Formats times, counts of things and shares of a count. Numbers, percentages, bytes and durations are in the
// contract's format.ts.
import { formatCompactNumber, formatNumber, formatPercent } from '@chauffeur/contract/format';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Each unit is used up to this many of it; anything longer is in years. */
const UNITS = [
  { unit: 'minute', seconds: MINUTE, max: 59 },
  { unit: 'hour', seconds: HOUR, max: 23 },
  { unit: 'day', seconds: DAY, max: 13 },
  { unit: 'week', seconds: 7 * DAY, max: 8 },
  { unit: 'month', seconds: 2_629_800, max: 11 },
] as const;
const YEAR = 31_557_600;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const byDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Formats a time relative to now, rounded to the nearest unit: `3 days ago`, `in 2 hours`, `just now`. */
export function formatRelativeTime(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const length = Math.abs(seconds);
  if (Math.round(length / MINUTE) === 0) return 'just now';
  const fitting = UNITS.find((each) => Math.round(length / each.seconds) <= each.max);
  const { unit, seconds: size } = fitting ?? { unit: 'year', seconds: YEAR };
  return relative.format(Math.sign(seconds) * Math.round(length / size), unit);
}

/** Date and time in the visitor's time zone, with the zone: `30 Nov 2026, 12:00:00 UTC`. */
export function formatExactTime(time: Date): string {
  return exact.format(time);
}

/** The date in the visitor's time zone: `30 Nov 2026`. */
export function formatDay(time: Date): string {
  return byDay.format(time);
}

const bySameYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const byMinute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/**
 * A moment in the past, after “since”, in the visitor's time zone: `14:05` today, `30 Nov` this year, `30 Nov 2025`.
 */
export function formatSince(time: Date, now: Date): string {
  if (formatDay(time) === formatDay(now)) return byMinute.format(time);
  return time.getFullYear() === now.getFullYear() ? bySameYear.format(time) : formatDay(time);
}

/** A count with its noun: `1 session`, `12.3K sessions`. */
export function formatItems(count: number, one: string, other = `${one}s`): string {
  return `${formatCompactNumber(count)} ${count === 1 ? one : other}`;
}

/** A percentage with its sample size: `98.4% of 1,240`; `none yet` if the sample is empty. */
export function formatShare(part: number, total: number): string {
  return total === 0 ? 'none yet' : `${formatPercent(part / total)} of ${formatNumber(total)}`;
}

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/**
 * The time left, in its two largest units, and rounded so that what expires in a day says so from the start: `24 hours`
 * instead of `23 hours 59 minutes`. Null once `until` has passed.
 */
export function formatTimeLeft(until: Date, now: Date): string | null {
  const exact = (until.getTime() - now.getTime()) / 60_000;
  if (exact <= 0) return null;
  if (exact < 1) return 'less than a minute';
  const step = stepOf(exact);
  const minutes = Math.round(exact / step) * step;
  const days = minutes < 2 * DAY_MINUTES ? 0 : Math.floor(minutes / DAY_MINUTES);
  const rest = minutes - days * DAY_MINUTES;
  const parts = [
    [days, 'day'],
    [Math.floor(rest / HOUR_MINUTES), 'hour'],
    [rest % HOUR_MINUTES, 'minute'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
}

/** The number of minutes that a time left is rounded to. It becomes smaller towards the end. */
function stepOf(minutes: number): number {
  if (minutes < HOUR_MINUTES) return 1;
  if (minutes < 6 * HOUR_MINUTES) return 5;
  return minutes < 7 * DAY_MINUTES - HOUR_MINUTES ? HOUR_MINUTES : DAY_MINUTES;
}

/** Shortens an id or checksum in the middle: `3f9a…c04d`. */
export function shorten(text: string, ends = 4): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-ends)}`;
}
