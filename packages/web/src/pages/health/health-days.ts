// Turns the days of a build's health into the series of a chart: crashes on boot, start times and session lengths. Also says
// in words how the rates of two builds differ.
import { WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { compareHealth, getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { MAX_SERIES, type Series, timesOf, withZeros } from '../../charts/series.ts';

export type RatedBuild = OutputOf<typeof listHealth>['builds'][number];
export type HealthDays = OutputOf<typeof getBuildHealth>['days'];

export const CHARTS = [
  { value: 'boot', label: 'Crashed on boot' },
  { value: 'start', label: 'Time to start' },
  { value: 'session', label: 'Session' },
] as const;
export type ChartName = (typeof CHARTS)[number]['value'];
export type MedianName = Exclude<ChartName, 'boot'>;

export function readChart(text: string | undefined): ChartName {
  return CHARTS.find(({ value }) => value === text)?.value ?? 'boot';
}

const DAY_MS = 86_400_000;

/** The days of the rating window, ending with today. */
export function windowOf(now: Date): string[] {
  const end = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  return timesOf(new Date(end - WINDOW_DAYS * DAY_MS).toISOString(), new Date(end).toISOString(), 'day');
}

/** The start of a day in the form that `timesOf` uses. */
export function timeOfDay(day: string): string {
  return `${day}T00:00:00.000Z`;
}

/** The days of a build with what its line needs: a name, a colour and the days. */
export type BuildDays = {
  readonly key: string;
  readonly label: string;
  readonly colour: number;
  readonly days: HealthDays;
};

/** The percentage of a build's devices that crashed on boot on each day. Days without devices have no value. */
export function bootCrashSeries({ key, label, colour, days }: BuildDays, pattern: number): Series {
  const values = days.flatMap(({ day, devices, crashed_on_boot }) =>
    devices === 0 ? [] : [[timeOfDay(day), Math.min(100, (100 * crashed_on_boot) / devices)] as const],
  );
  return { key, label, colour, pattern, values: new Map(values) };
}

/** How often these builds were started on each day, together. */
export function startSeries(builds: readonly BuildDays[], times: readonly string[]): Series {
  const counts = new Map<string, number>();
  for (const { day, events } of builds.flatMap(({ days }) => days))
    counts.set(timeOfDay(day), (counts.get(timeOfDay(day)) ?? 0) + (events.session_start ?? 0));
  return { key: 'starts', label: 'Starts', colour: 8, pattern: 0, values: withZeros(times, counts) };
}

/**
 * The builds whose lines are drawn with that of the selected build: the build that it is compared with, and then the
 * newest ones for its platform.
 */
export function shownWith<Build extends Pick<RatedBuild, 'build_id' | 'os' | 'arch'>>(
  builds: readonly Build[],
  selected: Build,
  compared: string | undefined,
): Build[] {
  const others = builds.filter(({ build_id }) => build_id !== selected.build_id);
  const chosen = others.filter(({ build_id }) => build_id === compared);
  const alike = others.filter(
    ({ build_id, os, arch }) => build_id !== compared && os === selected.os && arch === selected.arch,
  );
  return [...chosen, ...alike].slice(0, MAX_SERIES - 1);
}

/** The daily medians, in the colour of the build. Days without samples have no value. */
export function medianSeries(days: HealthDays, chart: MedianName, colour: number): Series {
  const field = chart === 'start' ? 'boot_ms' : 'session_seconds';
  const values = days.flatMap((each) => {
    const { median } = each[field];
    return median === null ? [] : [[timeOfDay(each.day), median] as const];
  });
  const label = chart === 'start' ? 'Median time to start' : 'Median session';
  return { key: chart, label, colour, pattern: 0, values: new Map(values) };
}

/**
 * The unrated build on stable that needs the fewest devices for a rating; null without one. Other builds don't count
 * for the game's page.
 */
export function nextToBeRated(builds: readonly RatedBuild[]): RatedBuild | null {
  const unrated = builds.filter(({ channel, band }) => channel === 'stable' && band === 'unrated');
  return unrated.toSorted((a, b) => b.devices - a.devices)[0] ?? null;
}

type RateDifference = OutputOf<typeof compareHealth>['booted'];

export function formatVerdict({ verdict, difference }: RateDifference): string {
  if (difference === null) return 'No data';
  return { better: 'Better', worse: 'Worse', unclear: 'Unclear' }[verdict];
}

/** Formats a difference in percentage points: `+1.2 (0.4 to 2.0)`. Empty without data. */
export function formatDifference({ difference, low, high }: RateDifference): string {
  if (difference === null || low === null || high === null) return '';
  const shown = formatPoints(difference);
  return `${difference > 0 && shown !== '0.0' ? '+' : ''}${shown} (${formatPoints(low)} to ${formatPoints(high)})`;
}

function formatPoints(share: number): string {
  const text = (100 * share).toFixed(1);
  return text === '-0.0' ? '0.0' : text.replace('-', '−');
}
