// Turns a group's reports by day and version into the series of a chart.
import { type Series, withZeros } from '../../charts/series.ts';

type Trend = {
  readonly builds: readonly { readonly build_id: string; readonly version: string }[];
  readonly trend: readonly { readonly day: string; readonly version: string | null; readonly count: number }[];
};

/** The key of all other versions in the URL. It isn't a valid version. */
const OTHERS = '*';
/** The place in the palette. Versions have the colour of their build in all charts. */
const COLOUR_OF_OTHERS = 7;

/** A series for each version, most reports first, then one for all other versions. A version has the colour of its first build. */
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
