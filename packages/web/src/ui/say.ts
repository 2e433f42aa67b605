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

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 bytes`, `68.6 KiB`, `1.2 GiB`. */
export function sayBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${plain.format(size)} bytes` : `${size.toFixed(size >= 100 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
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

/** The beginning and the end of an id or checksum: `3f9a…c04d`. */
export function shorten(text: string, kept = 4): string {
  return text.length <= 2 * kept + 1 ? text : `${text.slice(0, kept)}…${text.slice(-kept)}`;
}
