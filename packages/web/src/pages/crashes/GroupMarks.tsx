// What is to be known of a group at a glance: that it came back, that it is fixed, that the newest build brought it.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listCrashGroups } from '@chauffeur/contract/operations/crashes';
import { StateBadge } from '../../ui/StateBadge.tsx';

export type ListedGroup = OutputOf<typeof listCrashGroups>['groups'][number];
export type NewestBuild = { readonly build_id: string; readonly version: string; readonly created_at: string };

type GroupMarksProps = {
  group: Pick<ListedGroup, 'status' | 'fixed_in_version' | 'regressed_at' | 'first_seen'>;
  /** Undefined while it is not known, or where there is none. */
  newest: NewestBuild | undefined;
  /** Where there is little room: what the mark says stands where it is pointed at. */
  isShort?: boolean;
};

export function GroupMarks({ group, newest, isShort = false }: GroupMarksProps) {
  const { status, fixed_in_version: fixedIn, regressed_at: regressedAt, first_seen: firstSeen } = group;
  if (status === 'resolved') {
    return <StateBadge tone="good">{fixedIn === null ? 'Resolved' : `Fixed in ${fixedIn}`}</StateBadge>;
  }
  if (regressedAt !== null) return <StateBadge tone="bad">Came back</StateBadge>;
  if (newest !== undefined && firstSeen >= newest.created_at) {
    const says = `New since ${newest.version}`;
    return (
      <span title={says}>
        <StateBadge tone="busy">{isShort ? 'New' : says}</StateBadge>
      </span>
    );
  }
  return null;
}
