// The title of a crash group, which developers can replace by one of their own.
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { Permitted } from '../../ui/Permitted.tsx';
import classes from './crashes.module.css';
import type { GroupDetail } from './TrendChart.tsx';
import type { Triage } from './use-triage.ts';

/** Loaded when it is opened. */
const RenameDialog = lazyPart(() => import('./RenameDialog.tsx'), 'RenameDialog');

type GroupTitleProps = { group: GroupDetail; triage: Triage };

export function GroupTitle({ group, triage }: GroupTitleProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap={2} miw={0}>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <Title order={1} className={classes.signature}>
          {group.title}
        </Title>
        <Permitted operation={updateCrashGroup}>
          <Button size="compact-xs" variant="subtle" flex="none" onClick={() => setOpen(true)}>
            Rename
          </Button>
        </Permitted>
      </Group>
      {group.title !== group.signature && (
        <Text size="sm" c="dimmed" className={classes.code}>
          {group.signature}
        </Text>
      )}
      <Suspense>{isOpen && <RenameDialog group={group} triage={triage} onClose={() => setOpen(false)} />}</Suspense>
    </Stack>
  );
}
