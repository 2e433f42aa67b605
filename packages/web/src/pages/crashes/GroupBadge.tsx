// The most important fact about a crash group: it is resolved, snoozed or ignored, has regressed, or is new in the newest
// build.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { formatSnooze } from './group-status.ts';

export type ListedGroup = OutputOf<typeof listCrashGroups>['groups'][number];
export type NewestBuild = { readonly build_id: string; readonly version: string; readonly created_at: string };

type GroupBadgeProps = {
  group: Pick<ListedGroup, 'status' | 'fixed_in_version' | 'snooze' | 'regressed_at' | 'first_seen'>;
  /** Undefined while it is loading, or if the game has no builds. */
  newest: NewestBuild | undefined;
  /** Shortens the text where space is limited; the tooltip has the full text. */
  isShort?: boolean;
};

export function GroupBadge({ group, newest, isShort = false }: GroupBadgeProps) {
  const { status, fixed_in_version: fixedIn, regressed_at: regressedAt, first_seen: firstSeen } = group;
  if (status === 'resolved') {
    return <StateBadge tone="good">{fixedIn === null ? 'Resolved' : `Fixed in ${fixedIn}`}</StateBadge>;
  }
  if (status === 'ignored') return <StateBadge tone="none">Ignored</StateBadge>;
  if (status === 'snoozed') {
    const ends = group.snooze === null ? '' : formatSnooze(group.snooze);
    return (
      <span title={`Snoozed ${ends}`}>
        <StateBadge tone="none">{isShort ? 'Snoozed' : `Snoozed ${ends}`}</StateBadge>
      </span>
    );
  }
  if (regressedAt !== null) return <StateBadge tone="bad">Regressed</StateBadge>;
  if (newest !== undefined && firstSeen >= newest.created_at) {
    const text = `New since ${newest.version}`;
    return (
      <span title={text}>
        <StateBadge tone="busy">{isShort ? 'New' : text}</StateBadge>
      </span>
    );
  }
  return null;
}
