// Turns the days of a build's health into the series of a chart: launches, start times and session lengths. Also says
// in words how the rates of two builds differ.
import { WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { compareHealth, getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { type Series, timesOf, withZeros } from '../../charts/series.ts';

export type RatedBuild = OutputOf<typeof listHealth>['builds'][number];
export type HealthDays = OutputOf<typeof getBuildHealth>['days'];

export const CHARTS = [
  { value: 'launches', label: 'Launches' },
  { value: 'start', label: 'Time to start' },
  { value: 'session', label: 'Session length' },
] as const;
export type ChartName = (typeof CHARTS)[number]['value'];

export function readChart(text: string | undefined): ChartName {
  return CHARTS.find(({ value }) => value === text)?.value ?? 'launches';
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

const LAUNCHES = [
  { key: 'session_start', label: 'Started' },
  { key: 'boot_ok', label: 'Booted' },
  { key: 'crash', label: 'Crashed' },
] as const;

/** The launch events by day, in the colour of the build. They count launches, not devices. */
export function launchSeries(days: HealthDays, times: readonly string[], colour: number): Series[] {
  return LAUNCHES.map(({ key, label }, pattern) => ({
    key,
    label,
    colour,
    pattern,
    values: withZeros(times, new Map(days.map(({ day, events }) => [timeOfDay(day), events[key] ?? 0]))),
  }));
}

/** The daily medians, in the colour of the build. Days without samples have no value. */
export function medianSeries(days: HealthDays, chart: 'start' | 'session', colour: number): Series {
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
