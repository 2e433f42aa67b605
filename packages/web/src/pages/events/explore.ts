// What the explorer of events shows, as the address of its page holds it.
import { OSES } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { countEvents } from '@chauffeur/contract/operations/events';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { OTHERS_COLOUR } from '../../charts/build-colours.ts';
import { largest, MOST_SERIES, readList, type Series, type Step, sumOf, withZeros } from '../../charts/series.ts';

export const RANGES = [
  { value: '24h', label: '24 hours', hours: 24 },
  { value: '7d', label: '7 days', hours: 7 * 24 },
  { value: '30d', label: '30 days', hours: 30 * 24 },
] as const;
export type Range = (typeof RANGES)[number]['value'];

export const SPLITS = [
  { value: 'none', label: 'Not split' },
  { value: 'build', label: 'By build' },
  { value: 'os', label: 'By system' },
] as const;
export type Split = (typeof SPLITS)[number]['value'];

export type Explored = {
  /** Names of events, at most MOST_SERIES; one where it is split. Empty: none was chosen. */
  readonly names: readonly string[];
  readonly range: Range;
  readonly step: Step;
  readonly split: Split;
  /** Keys of series that are taken out. */
  readonly hidden: readonly string[];
  readonly hasTable: boolean;
};

type Search = { readonly [name: string]: string | undefined };

/** The steps that are readable in a range: a day has no shorter chart, a month of hours has too many bars. */
export const STEPS: Readonly<Record<Range, readonly Step[]>> = {
  '24h': ['hour'],
  '7d': ['hour', 'day'],
  '30d': ['day'],
};

export function readExplored(search: Search): Explored {
  const range = RANGES.find(({ value }) => value === search.range)?.value ?? '7d';
  const split = SPLITS.find(({ value }) => value === search.split)?.value ?? 'none';
  const names = [...new Set(readList(search.events))];
  return {
    names: names.slice(0, split === 'none' ? MOST_SERIES : 1),
    range,
    step: STEPS[range].find((step) => step === search.step) ?? STEPS[range].at(-1)!,
    split,
    hidden: readList(search.hidden),
    hasTable: search.table !== undefined,
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whole hours or days (UTC), the one that now is in included, in ISO 8601. The same as long as that one lasts. */
export function spanOf({ range, step }: Pick<Explored, 'range' | 'step'>, now: Date): { from: string; to: string } {
  const size = step === 'hour' ? HOUR_MS : DAY_MS;
  const to = (Math.floor(now.getTime() / size) + 1) * size;
  const { hours } = RANGES.find(({ value }) => value === range)!;
  return { from: new Date(to - hours * HOUR_MS).toISOString(), to: new Date(to).toISOString() };
}

/** Of those that came, what a chart begins with: the most frequent ones. */
const FIRST_SHOWN = 3;

/** The names to show: those that were chosen, else the most frequent. */
export function namesShown({ names, split }: Explored, known: readonly { name: string }[]): readonly string[] {
  if (names.length > 0) return names;
  return known.slice(0, split === 'none' ? FIRST_SHOWN : 1).map(({ name }) => name);
}

type Counted = OutputOf<typeof countEvents>['series'];

/** One series for each name, in the order in which they were chosen; `counts` has an entry for each, undefined while it loads. */
export function seriesOfNames(
  names: readonly string[],
  counts: readonly (Counted | undefined)[],
  times: readonly string[],
): Series[] {
  return names.map((name, place) => ({
    key: name,
    label: name,
    colour: place,
    pattern: place,
    values: withZeros(times, sumOf(counts[place] ?? [])),
  }));
}

/** The name under which all series without a place of their own stand in an address. */
const OTHERS = '(others)';

/** The largest parts of one event, and all others together. */
export function seriesOfParts(
  counted: Counted,
  look: (key: string, label: string | null) => { colour: number; label: string },
  times: readonly string[],
): Series[] {
  const { kept, others } = largest(counted);
  const named = kept.map(({ key, label, points }, pattern) => ({
    key: key ?? OTHERS,
    pattern,
    ...look(key ?? OTHERS, label),
    values: withZeros(times, sumOf([{ key, points }])),
  }));
  if (others.length === 0) return named;
  const rest = { key: OTHERS, label: 'All others', colour: OTHERS_COLOUR, pattern: named.length };
  return [...named, { ...rest, values: withZeros(times, sumOf(others)) }];
}

/** `1.2.0 linux x86_64`, as the service labels a build, in the words of the site; the label of a build that is gone is null. */
export function sayBuild(label: string | null): string {
  const [, version, os, arch] = /^(.*) (\S+) (\S+)$/.exec(label ?? '') ?? [];
  if (version === undefined || os === undefined || arch === undefined) return label ?? 'A build that is gone';
  return `${version} ${sayPlatform({ os, arch })}`;
}

/** A system has one colour everywhere. */
export function colourOfOs(os: string): number {
  const place = (OSES as readonly string[]).indexOf(os);
  return place === -1 ? OSES.length : place;
}
