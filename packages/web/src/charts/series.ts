// Series of counts over time, as charts and their tables take them: every hour or day has its row, also those without anything.

export type Step = 'hour' | 'day';

/** One colour and one pattern of those in Fill.tsx; the pattern tells series of one chart apart without colour. */
export type Look = { readonly colour: number; readonly pattern: number };

export type Series = Look & {
  /** Names it in the address of the page. */
  readonly key: string;
  readonly label: string;
  /** By the beginning of the hour or day in ISO 8601; what is missing has no value. */
  readonly values: ReadonlyMap<string, number>;
};

/** Series of one chart at most. */
export const MOST_SERIES = 4;

const STEPS_MS: Readonly<Record<Step, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The beginnings of the hours or days (UTC) from `from` to before `to`, in ISO 8601 with milliseconds. */
export function timesOf(from: string, to: string, step: Step): string[] {
  const times: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += STEPS_MS[step]) times.push(new Date(at).toISOString());
  return times;
}

/** A row for each time. Of a series it has the value, or null, under `s` and its place: a key of its own would be read as a path. */
export type Row = { readonly at: string; readonly [place: `s${number}`]: number | null };

export function rowsOf(times: readonly string[], series: readonly Series[]): Row[] {
  return times.map((at) => ({
    at,
    ...Object.fromEntries(series.map(({ values }, place) => [`s${place}`, values.get(at) ?? null])),
  }));
}

/** Counts: what did not come is 0. */
export function withZeros(times: readonly string[], values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(times.map((at) => [at, values.get(at) ?? 0]));
}

export function totalOf({ values }: Series): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

type Counted = { readonly key: string | null; readonly points: readonly { at: string; count: number }[] };

/**
 * The largest series, as many as a chart has room for, and all others together as one more with the key null, where there are any. The
 * last place is theirs.
 */
export function largest<C extends Counted>(counted: readonly C[], most = MOST_SERIES): { kept: C[]; others: C[] } {
  const named = counted.filter(({ key }) => key !== null);
  const rest = counted.filter(({ key }) => key === null);
  if (counted.length <= most) return { kept: named, others: rest };
  return { kept: named.slice(0, most - 1), others: [...named.slice(most - 1), ...rest] };
}

/** What several series have together at each time. */
export function sumOf(counted: readonly Counted[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { points } of counted) for (const { at, count } of points) sums.set(at, (sums.get(at) ?? 0) + count);
  return sums;
}

/** Texts of a list in an address, parted by commas; a comma inside one is escaped. */
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

/** The list with the text in it, or without where it was. */
export function toggled(texts: readonly string[], text: string): string[] {
  return texts.includes(text) ? texts.filter((each) => each !== text) : [...texts, text];
}
