// The statuses of crash groups: their labels and what happens when they are set.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup, Priority } from '@chauffeur/contract/operations/crash-groups';
import { formatExactTime } from '../../ui/format.ts';
import type { Tone } from '../../ui/StateBadge.tsx';

type Snooze = NonNullable<OutputOf<typeof getCrashGroup>['snooze']>;

export const PRIORITY_NAMES: Readonly<Record<Priority, string>> = {
  urgent: 'Urgent',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
};

export const PRIORITY_TONES: Readonly<Record<Priority, Tone>> = {
  urgent: 'bad',
  high: 'unsure',
  medium: 'busy',
  low: 'none',
};

/** Formats the end of `Snoozed …`. */
export function formatSnooze({ until, reports, next_build: nextBuild }: Snooze): string {
  const ends = [
    ...(until === null ? [] : [`until ${formatExactTime(new Date(until))}`]),
    ...(reports === null ? [] : [`for ${reports === 1 ? '1 more report' : `${reports} more reports`}`]),
    ...(nextBuild ? ['until it happens in a new build'] : []),
  ];
  return ends.join(', or ');
}

/** What a message says after the change of one group, or of several. */
export function formatDone(count: number, done: string): string {
  return count === 1 ? `Group ${done}.` : `${count} groups ${done}.`;
}
