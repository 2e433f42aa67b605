// Series of counts over time for charts and their tables: one row for each hour or day, empty ones included. Days are
// in UTC, as the server counts them, and hours are shown in the visitor's time zone.

export type ChartStep = 'hour' | 'day';

/** Indexes of a colour and a pattern of Bars.tsx. The pattern sets the series of a chart apart without colour. */
export type Look = { readonly colour: number; readonly pattern: number };

export type Series = Look & {
  /** Identifies the series in the page's URL. */
  readonly key: string;
  readonly label: string;
  /** Keyed by the start of the hour or day in ISO 8601. Missing entries have no value. */
  readonly values: ReadonlyMap<string, number>;
};

/** The most series a chart can show. */
export const MAX_SERIES = 4;

const STEPS_MS: Readonly<Record<ChartStep, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The start of each hour or day (UTC) from `from` up to, but not including, `to`, in ISO 8601 with milliseconds. */
export function timesOf(from: string, to: string, step: ChartStep): string[] {
  const times: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += STEPS_MS[step]) times.push(new Date(at).toISOString());
  return times;
}

/** The values with a 0 for every time that has none. */
export function withZeros(times: readonly string[], values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(times.map((at) => [at, values.get(at) ?? 0]));
}

export function totalOf({ values }: Series): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

type Counted = { readonly key: string | null; readonly points: readonly { at: string; count: number }[] };

/**
 * Splits series, ordered from largest to smallest: the first are shown separately, and the rest together as "others",
 * which comes last. A series with the key null is always part of the others.
 */
export function splitLargest<C extends Counted>(counted: readonly C[], max = MAX_SERIES): { kept: C[]; others: C[] } {
  const named = counted.filter(({ key }) => key !== null);
  const rest = counted.filter(({ key }) => key === null);
  if (counted.length <= max) return { kept: named, others: rest };
  return { kept: named.slice(0, max - 1), others: [...named.slice(max - 1), ...rest] };
}

/** The sum of several series at each time. */
export function sumOf(counted: readonly Counted[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { points } of counted) for (const { at, count } of points) sums.set(at, (sums.get(at) ?? 0) + count);
  return sums;
}

/** Reads a comma-separated list from a URL parameter. Commas inside an item are escaped. */
export function readList(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  return text.split(',').flatMap((part) => {
    try {
      return [decodeURIComponent(part)];
    } catch {
      return [];
    }
  });
}

export function writeList(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.map((text) => text.replace(/[%,]/g, encodeURIComponent)).join(',');
}

/** The list with the text added, or removed if it was in the list. */
export function toggled(texts: readonly string[], text: string): string[] {
  return texts.includes(text) ? texts.filter((each) => each !== text) : [...texts, text];
}

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

/** The label of a time at an axis: `12 Nov` or `18:00`. */
export function formatTick(at: string, step: ChartStep): string {
  return step === 'day' ? day.format(new Date(at)) : hour.format(new Date(at));
}

/** A time in a table or tooltip: `Thu, 12 Nov 2026` or `Thu 12 Nov, 18:00`. */
export function formatTime(at: string, step: ChartStep): string {
  return step === 'day' ? fullDay.format(new Date(at)) : hourOfDay.format(new Date(at));
}
