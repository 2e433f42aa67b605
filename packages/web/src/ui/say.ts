// How times, sizes and counts are said to people.

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const byDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const plain = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `3 days ago`, `in 2 hours`, `now`: in the largest unit of which there is a whole one. */
export function sayRelative(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return 'now';
}

/** In the visitor’s own time zone. */
export function sayExactTime(time: Date): string {
  return exact.format(time);
}

export function sayDay(time: Date): string {
  return byDay.format(time);
}

/** `950`, `12.3K`. */
export function sayCount(count: number): string {
  return count < 10_000 ? plain.format(count) : compact.format(count);
}

export function sayExactNumber(number: number): string {
  return plain.format(number);
}

/** A share of `of`, never without it: `98.4 % of 1,240`; `none yet` of nothing. */
export function sayShare(part: number, of: number): string {
  return of === 0 ? 'none yet' : `${((part / of) * 100).toFixed(1)} % of ${plain.format(of)}`;
}

/** Milliseconds as `850 ms`, `4.2 s`, `2 min 5 s`. */
export function sayMs(ms: number): string {
  if (ms < 1000) return `${plain.format(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : saySeconds(Math.round(ms / 1000));
}

/** `45 s`, `2 min 5 s`, `3 h 20 min`: in its two largest units. */
export function saySeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return `${minutes} min ${seconds % 60} s`;
}

/** What is left until a moment, in its two largest units, down to minutes: `2 days 3 hours`; null when it is over. */
export function sayLeft(until: Date, now: Date): string | null {
  const minutes = Math.floor((until.getTime() - now.getTime()) / 60_000);
  if (until.getTime() <= now.getTime()) return null;
  if (minutes === 0) return 'less than a minute';
  const parts = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor(minutes / 60) % 24, 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
}

/** The beginning and the end of an id or checksum: `3f9a…c04d`. */
export function shorten(text: string, kept = 4): string {
  return text.length <= 2 * kept + 1 ? text : `${text.slice(0, kept)}…${text.slice(-kept)}`;
}
