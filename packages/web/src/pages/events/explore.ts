// What the event explorer shows, as stored in the URL, and the series of its chart.
import { formatPlatform } from '@chauffeur/contract/format';
import { OSES } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { countEvents } from '@chauffeur/contract/operations/events';
import { OTHERS_COLOUR } from '../../charts/colours.ts';
import {
  type ChartStep,
  MAX_SERIES,
  readList,
  type Series,
  splitLargest,
  sumOf,
  withZeros,
} from '../../charts/series.ts';

export const RANGES = [
  { value: '24h', label: '24 hours', hours: 24 },
  { value: '7d', label: '7 days', hours: 7 * 24 },
  { value: '30d', label: '30 days', hours: 30 * 24 },
] as const;
export type Range = (typeof RANGES)[number]['value'];

export const SPLITS = [
  { value: 'none', label: 'No split' },
  { value: 'build', label: 'By build' },
  { value: 'os', label: 'By OS' },
] as const;
type Split = (typeof SPLITS)[number]['value'];

export type Explorer = {
  /** Selected events: at most MAX_SERIES, or one if the chart is split. Empty if none is selected. */
  readonly names: readonly string[];
  readonly range: Range;
  readonly step: ChartStep;
  readonly split: Split;
  /** Keys of hidden series. */
  readonly hidden: readonly string[];
  readonly hasTable: boolean;
};

type Search = { readonly [name: string]: string | undefined };

/** The intervals that a chart of each range can show without too few or too many bars. */
export const STEPS: Readonly<Record<Range, readonly ChartStep[]>> = {
  '24h': ['hour'],
  '7d': ['hour', 'day'],
  '30d': ['day'],
};

export function readExplorer(search: Search): Explorer {
  const range = RANGES.find(({ value }) => value === search.range)?.value ?? '7d';
  const split = SPLITS.find(({ value }) => value === search.split)?.value ?? 'none';
  const names = [...new Set(readList(search.events))];
  return {
    names: names.slice(0, split === 'none' ? MAX_SERIES : 1),
    range,
    step: STEPS[range].find((step) => step === search.step) ?? STEPS[range].at(-1)!,
    split,
    hidden: readList(search.hidden),
    hasTable: search.table !== undefined,
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The range in whole hours or days (UTC), including the current one, in ISO 8601. It changes only when the next one
 * begins.
 */
export function spanOf({ range, step }: Pick<Explorer, 'range' | 'step'>, now: Date): { from: string; to: string } {
  const size = step === 'hour' ? HOUR_MS : DAY_MS;
  const to = (Math.floor(now.getTime() / size) + 1) * size;
  const { hours } = RANGES.find(({ value }) => value === range)!;
  return { from: new Date(to - hours * HOUR_MS).toISOString(), to: new Date(to).toISOString() };
}

/** The number of events that are shown by default. */
const DEFAULT_EVENTS = 3;

/** The selected events, or the most frequent ones if none is selected. `events` is sorted by frequency. */
export function namesShown({ names, split }: Explorer, events: readonly { name: string }[]): readonly string[] {
  if (names.length > 0) return names;
  return events.slice(0, split === 'none' ? DEFAULT_EVENTS : 1).map(({ name }) => name);
}

type CountedParts = OutputOf<typeof countEvents>['series'];

/** One series for each name, in the same order. `counts` has an entry for each name, undefined while it is loading. */
export function seriesOfNames(
  names: readonly string[],
  counts: readonly (CountedParts | undefined)[],
  times: readonly string[],
): Series[] {
  return names.map((name, index) => ({
    key: name,
    label: name,
    colour: index,
    pattern: index,
    values: withZeros(times, sumOf(counts[index] ?? [])),
  }));
}

/** The key of the series that sums up all others. */
const OTHERS = '(others)';

/** The largest parts of one event, and one series for all others. */
export function seriesOfParts(
  counted: CountedParts,
  look: (key: string, label: string | null) => { colour: number; label: string },
  times: readonly string[],
): Series[] {
  const { kept, others } = splitLargest(counted);
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

/** Formats the server's label of a build, `1.2.0 linux x86_64`. The label of a deleted build is null. */
export function formatBuildLabel(label: string | null): string {
  const [, version, os, arch] = /^(.*) (\S+) (\S+)$/.exec(label ?? '') ?? [];
  if (version === undefined || os === undefined || arch === undefined) return label ?? 'Deleted build';
  return `${version} ${formatPlatform({ os, arch })}`;
}

/** The colours of the OSes, the same in all charts. */
export function colourOfOs(os: string): number {
  const index = (OSES as readonly string[]).indexOf(os);
  return index === -1 ? OSES.length : index;
}
