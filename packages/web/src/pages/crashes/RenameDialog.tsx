// Replaces the title of a crash group, or gives it back its signature.
import { LIMITS } from '@chauffeur/contract/limits';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

type RenameDialogProps = { group: GroupDetail; triage: Triage; onClose: () => void };

export function RenameDialog({ group, triage, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(group.title);
  const form = useTriageForm(triage, onClose);
  const trimmed = title.trim();
  const isSignature = trimmed === '' || trimmed === group.signature;
  return (
    <FormDialog
      title="Rename crash group"
      submitLabel={isSignature ? 'Use signature' : 'Rename'}
      isBusy={form.isBusy}
      error={form.error}
      onSubmit={() =>
        form.submit({
          kind: 'update',
          input: { group_id: group.group_id, title: isSignature ? null : trimmed },
          message: isSignature ? 'The title is the signature again.' : 'Group renamed.',
        })
      }
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
