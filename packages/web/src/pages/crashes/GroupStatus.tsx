// The status of crash groups: buttons that change it, the badge that shows it, and the result of the last change with
// its undo. The list of groups and the page of a group use them.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { GroupStatus, listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import { Button, Group } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import { useKeptData } from '../../api.ts';
import { lazyPart } from '../../frame/load-code.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { formatDone, formatSnooze } from './describe-group.ts';
import type { GroupStatusAction, Triage } from './use-triage.ts';

const ResolveDialog = lazyPart(async () => (await import('./GroupDialogs.tsx')).ResolveDialog);
const SnoozeDialog = lazyPart(async () => (await import('./GroupDialogs.tsx')).SnoozeDialog);

type StatusButtonsProps = {
  /** The statuses that the groups have. */
  statuses: readonly GroupStatus[];
  groupIds: readonly string[];
  triage: Triage;
  size?: 'sm' | 'xs';
};

/** Resolve, snooze, ignore or reopen: one group on its page, or those selected in the list. */
export function StatusButtons({ statuses, groupIds, triage, size = 'sm' }: StatusButtonsProps) {
  const [dialog, setDialog] = useState<'resolve' | 'snooze' | null>(null);
  const actionOf: GroupStatusAction = (change, done) => ({
    kind: 'change',
    input: { group_ids: [...groupIds], ...change },
    message: formatDone(groupIds.length, done),
  });
  const isOpen = statuses.includes('open');
  const buttons = { size, variant: 'default', disabled: triage.isPending } as const;
  const close = () => setDialog(null);
  const parts = { count: groupIds.length, triage, actionOf, onClose: close };
  return (
    <Group gap="xs">
      {(isOpen || statuses.includes('snoozed')) && (
        <Button {...buttons} variant="filled" onClick={() => setDialog('resolve')}>
          Resolve
        </Button>
      )}
      {isOpen && (
        <>
          <Button {...buttons} onClick={() => setDialog('snooze')}>
            Snooze
          </Button>
          <Button {...buttons} onClick={() => triage.mutate(actionOf({ status: 'ignored' }, 'ignored'))}>
            Ignore
          </Button>
        </>
      )}
      {statuses.some((status) => status !== 'open') && (
        <Button {...buttons} onClick={() => triage.mutate(actionOf({ status: 'open' }, 'reopened'))}>
          Reopen
        </Button>
      )}
      <Suspense>
        {dialog === 'resolve' && <ResolveDialog {...parts} />}
        {dialog === 'snooze' && <SnoozeDialog {...parts} />}
      </Suspense>
    </Group>
  );
}

export type ListedGroup = OutputOf<typeof listCrashGroups>['groups'][number];
export type NewestBuild = { readonly build_id: string; readonly version: string; readonly created_at: string };

type GroupBadgeProps = {
  group: Pick<ListedGroup, 'status' | 'fixed_in_version' | 'snooze' | 'regressed_at' | 'first_seen'>;
  /** Undefined while it is loading, or if the game has no builds. */
  newest: NewestBuild | undefined;
  /** Shortens the text where space is limited; the tooltip has the full text. */
  isShort?: boolean;
};

/**
 * The most important fact about a crash group: it is resolved, snoozed or ignored, has regressed, or is new in the
 * newest build.
 */
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

/** What the last change of crash groups did, and a button that undoes it. */
export function TriageResult({ triage, children }: { triage: Triage; children?: ReactNode }) {
  const { error, isPending, variables } = triage;
  const data = useKeptData(triage);
  if (error !== null && variables !== undefined)
    return <Problem error={error} onRetry={() => triage.mutate(variables)} />;
  return (
    <div role="status">
      {data !== undefined && (
        <Notice tone="good" title={data.message}>
          <Group>
            {data.changeUid !== null && (
              <Button
                size="compact-sm"
                variant="default"
                loading={isPending}
                onClick={() => triage.mutate({ kind: data.isUndone ? 'redo' : 'undo', changeUid: data.changeUid! })}
              >
                {data.isUndone ? 'Redo' : 'Undo'}
              </Button>
            )}
            {children}
          </Group>
        </Notice>
      )}
    </div>
  );
}
