// The title of a crash group, which developers can replace by one of their own.
import { LIMITS } from '@chauffeur/contract/limits';
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogButtons } from '../../ui/DialogButtons.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import classes from './crashes.module.css';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

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
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
            Rename
          </Button>
        </Permitted>
      </Group>
      {group.title !== group.signature && (
        <Text size="sm" c="dimmed" className={classes.code}>
          {group.signature}
        </Text>
      )}
      {isOpen && <RenameDialog group={group} triage={triage} onClose={() => setOpen(false)} />}
    </Stack>
  );
}

function RenameDialog({ group, triage, onClose }: GroupTitleProps & { onClose: () => void }) {
  const [title, setTitle] = useState(group.title);
  const form = useTriageForm(triage, onClose);
  const trimmed = title.trim();
  const isSignature = trimmed === '' || trimmed === group.signature;
  return (
    <Dialog title="Rename crash group" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          form.submit({
            kind: 'update',
            input: { group_id: group.group_id, title: isSignature ? null : trimmed },
            message: isSignature ? 'The group has its signature as title again.' : 'Group renamed.',
          });
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="title"
            label="Title"
            description="Shown everywhere instead of the signature. Leave it empty for the signature."
            placeholder={group.signature}
            maxLength={LIMITS.titleLength}
            value={title}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          {form.error !== null && <Problem error={form.error} />}
          <DialogButtons
            submitLabel={isSignature ? 'Use signature' : 'Rename'}
            isBusy={form.isBusy}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
