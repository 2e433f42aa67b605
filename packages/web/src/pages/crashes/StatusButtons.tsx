// Buttons that resolve, snooze, ignore or reopen crash groups: one on its page, or those selected in the list.
import type { GroupStatus } from '@chauffeur/contract/operations/crashes';
import { Button, Group } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { formatDone } from './group-status.ts';
import type { StatusAction, Triage } from './use-triage.ts';

/** Loaded when one of them is opened. */
const ResolveDialog = lazyPart(() => import('./StatusDialogs.tsx'), 'ResolveDialog');
const SnoozeDialog = lazyPart(() => import('./StatusDialogs.tsx'), 'SnoozeDialog');

type StatusButtonsProps = {
  /** The statuses that the groups have. */
  statuses: readonly GroupStatus[];
  groupIds: readonly string[];
  triage: Triage;
  size?: 'sm' | 'xs';
};

export function StatusButtons({ statuses, groupIds, triage, size = 'sm' }: StatusButtonsProps) {
  const [dialog, setDialog] = useState<'resolve' | 'snooze' | null>(null);
  const actionOf: StatusAction = (change, done) => ({
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
