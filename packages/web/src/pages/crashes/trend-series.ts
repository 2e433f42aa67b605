// The data of a group's charts: the days they show, and the reports by day and version as series.
import { type Series, withZeros } from '../../charts/series.ts';

const DAY_MS = 86_400_000;
export const DAYS_SHOWN = 30;

type DayCount = { readonly day: string; readonly count: number };

/** The number of reports on each of the last 30 days (UTC), oldest first. */
export function lastDays(days: readonly DayCount[], now: Date): DayCount[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  return Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = new Date(now.getTime() - (DAYS_SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, count: counts.get(day) ?? 0 };
  });
}

type Trend = {
  readonly builds: readonly { readonly build_id: string; readonly version: string }[];
  readonly trend: readonly { readonly day: string; readonly version: string | null; readonly count: number }[];
};

/** The key of all other versions in the URL. It isn't a valid version. */
const OTHERS = '*';
/** The index of the colour of other versions. Each version has the colour of its build in all charts. */
const COLOUR_OF_OTHERS = 7;

/**
 * A series for each version, most reports first, then one for all other versions. A version has the colour of its first
 * build.
 */
export function seriesOf(
  { builds, trend }: Trend,
  colourOf: (buildId: string) => number,
  days: readonly string[],
): Series[] {
  const byVersion = Map.groupBy(trend, ({ version }) => version);
  const totals = [...byVersion].map(([version, counts]) => ({
    version,
    counts,
    total: counts.reduce((sum, { count }) => sum + count, 0),
  }));
  const sorted = totals.toSorted(
    (a, b) => Number(a.version === null) - Number(b.version === null) || b.total - a.total,
  );
  return sorted.map(({ version, counts }, index) => {
    const [first] = builds
      .filter((build) => build.version === version)
      .map(({ build_id }) => build_id)
      .toSorted();
    return {
      key: version ?? OTHERS,
      label: version ?? 'Other versions',
      colour: first === undefined ? COLOUR_OF_OTHERS : colourOf(first),
      pattern: index,
      values: withZeros(days, new Map(counts.map(({ day, count }) => [day, count]))),
    };
  });
}
