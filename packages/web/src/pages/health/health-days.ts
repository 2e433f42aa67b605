// The days of a build's health as series of a chart: what was launched, how long it took, how long it was played.
import { WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { type Series, timesOf, withZeros } from '../../charts/series.ts';

export type BuildHealth = OutputOf<typeof listHealth>['builds'][number];
export type HealthDays = OutputOf<typeof getBuildHealth>['days'];

export const SHOWS = [
  { value: 'launches', label: 'Launches' },
  { value: 'start', label: 'Time to start' },
  { value: 'session', label: 'Session length' },
] as const;
export type Show = (typeof SHOWS)[number]['value'];

export function readShow(text: string | undefined): Show {
  return SHOWS.find(({ value }) => value === text)?.value ?? 'launches';
}

const DAY_MS = 86_400_000;

/** The days of the window, today last. */
export function windowOf(now: Date): string[] {
  const end = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  return timesOf(new Date(end - WINDOW_DAYS * DAY_MS).toISOString(), new Date(end).toISOString(), 'day');
}

/** As `timesOf` has it. */
export function timeOfDay(day: string): string {
  return `${day}T00:00:00.000Z`;
}

const LAUNCHES = [
  { key: 'session_start', label: 'Started' },
  { key: 'boot_ok', label: 'Booted' },
  { key: 'crash', label: 'Crashed' },
] as const;

/** Events of each day, in the colour of the build: a device that starts twice is there twice. */
export function launchSeries(days: HealthDays, times: readonly string[], colour: number): Series[] {
  return LAUNCHES.map(({ key, label }, pattern) => ({
    key,
    label,
    colour,
    pattern,
    values: withZeros(times, new Map(days.map(({ day, events }) => [timeOfDay(day), events[key] ?? 0]))),
  }));
}

/** The median of each day that has one, in the colour of the build. */
export function medianSeries(days: HealthDays, show: 'start' | 'session', colour: number): Series {
  const field = show === 'start' ? 'boot_ms' : 'session_seconds';
  const values = days.flatMap((each) => {
    const { median } = each[field];
    return median === null ? [] : [[timeOfDay(each.day), median] as const];
  });
  const label = show === 'start' ? 'Median time to start' : 'Median session';
  return { key: show, label, colour, pattern: 0, values: new Map(values) };
}

/**
 * Of the builds that are not rated the one that lacks the fewest devices, among those that were registered for stable: a listing has the
 * band of a build there. Null where every one of them is rated, or there is none.
 */
export function nextToBeRated(builds: readonly BuildHealth[]): BuildHealth | null {
  const waiting = builds.filter(({ channel, band }) => channel === 'stable' && band === 'unrated');
  return waiting.toSorted((a, b) => b.devices - a.devices)[0] ?? null;
}
