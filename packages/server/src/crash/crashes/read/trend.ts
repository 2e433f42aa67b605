// Sums a group's counts by day for a chart with few versions.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup } from '@chauffeur/contract/operations/crash-groups';

type Trend = OutputOf<typeof getCrashGroup>['trend'];

/** Together with the series for all other versions, as many as a reader can tell apart. */
const MAX_VERSIONS = 3;

/** `counts` must be ordered by day. The version of a deleted build is null. */
export function trendOf(counts: readonly { day: string; version: string | null; count: number }[]): Trend {
  const totals = new Map<string, number>();
  for (const { version, count } of counts)
    if (version !== null) totals.set(version, (totals.get(version) ?? 0) + count);
  const named = new Set(
    [...totals]
      .sort(([, countOfA], [, countOfB]) => countOfB - countOfA)
      .slice(0, MAX_VERSIONS)
      .map(([version]) => version),
  );
  const trend = new Map<string, Trend[number]>();
  for (const { day, version, count } of counts) {
    const shown = version !== null && named.has(version) ? version : null;
    const entry = trend.get(`${day} ${shown}`) ?? { day, version: shown, count: 0 };
    entry.count += count;
    trend.set(`${day} ${shown}`, entry);
  }
  return [...trend.values()];
}
