// Makes the series of a chart of a group’s reports by day and version.
import type { Series } from '../../charts/series.ts';

type Trend = {
  readonly builds: readonly { readonly build_id: string; readonly version: string }[];
  readonly trend: readonly { readonly day: string; readonly version: string | null; readonly count: number }[];
};

/** Names all other versions in the address: no version is called so. */
const OTHERS = '*';
/** Of the palette; builds of their own have the colours that all charts give them. */
const COLOUR_OF_OTHERS = 7;

/** One for each version, those with the most reports first, and one for all others; a version has the colour of its first build. */
export function seriesOf({ builds, trend }: Trend, colourOf: (buildId: string) => number): Series[] {
  const byVersion = Map.groupBy(trend, ({ version }) => version);
  const totals = [...byVersion].map(([version, counts]) => ({
    version,
    counts,
    total: counts.reduce((sum, { count }) => sum + count, 0),
  }));
  const inOrder = totals.toSorted(
    (a, b) => Number(a.version === null) - Number(b.version === null) || b.total - a.total,
  );
  return inOrder.map(({ version, counts }, place) => {
    const [first] = builds
      .filter((build) => build.version === version)
      .map(({ build_id }) => build_id)
      .toSorted();
    return {
      key: version ?? OTHERS,
      label: version ?? 'Other versions',
      colour: first === undefined ? COLOUR_OF_OTHERS : colourOf(first),
      pattern: place,
      values: new Map(counts.map(({ day, count }) => [day, count])),
    };
  });
}
