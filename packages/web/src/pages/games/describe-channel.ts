// Says how the version that a channel offers compares with the version before.
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getGameOverview } from '@chauffeur/contract/operations/game-overview';
import { comparePlatforms } from '../../ui/platforms.ts';
import type { Tone } from '../../ui/StateBadge.tsx';
import { formatDifference } from '../health/health-days.ts';

export type ChannelOverview = OutputOf<typeof getGameOverview>['channels'][number];

type Described = {
  readonly tone: Tone;
  readonly verdict: string;
  /** What is between the verdict and the version: `Worse than 1.0`. */
  readonly relation: string;
  readonly details: readonly string[];
};

/** Null without a version before. A version is worse if one of its rates is, even if another is better. */
export function describeChange({ change }: Pick<ChannelOverview, 'change'>): Described | null {
  if (change === null) return null;
  const rates = [
    { name: 'Crash-free devices', ...change.crash_free },
    { name: 'Booted', ...change.booted },
  ].filter(({ difference }) => difference !== null);
  const details = rates.map((rate) => `${rate.name}: ${formatDifference(rate)}`);
  if (rates.length === 0) return { tone: 'none', verdict: 'No data', relation: 'to compare with', details };
  if (rates.some(({ verdict }) => verdict === 'worse'))
    return { tone: 'bad', verdict: 'Worse', relation: 'than', details };
  if (rates.some(({ verdict }) => verdict === 'better'))
    return { tone: 'good', verdict: 'Better', relation: 'than', details };
  return { tone: 'none', verdict: 'No clear change', relation: 'from', details };
}

/** Where a channel still offers another version: `1.0 on Windows x86_64`. */
export function formatBehind(behind: ChannelOverview['behind']): string[] {
  return [...Map.groupBy(behind, ({ version }) => version)].map(
    ([version, platforms]) => `${version} on ${platforms.toSorted(comparePlatforms).map(formatPlatform).join(', ')}`,
  );
}
