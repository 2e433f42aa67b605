// The dialog that splits a crash group by a function on the stack.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

export type SplitButtonProps = { group: GroupDetail; stack: CrashStack | undefined; triage: Triage };

export function SplitDialog({ group, stack, triage, onClose }: SplitButtonProps & { onClose: () => void }) {
  const [name, setName] = useState('');
  const list = useId();
  const form = useTriageForm(triage, onClose);
  const functions = [...new Set(stack?.crashed?.frames.flatMap((frame) => frame.function ?? []))];
  return (
    <FormDialog
      title="Split crash group"
      submitLabel="Split group"
      isBusy={form.isBusy}
      isDisabled={name === ''}
      error={form.error}
      onSubmit={() =>
        form.submit({
          kind: 'split',
          input: { group_id: group.group_id, function: name },
          message: `Reports with ${name} on their stack are moving to a separate group.`,
        })
      }
      onClose={onClose}
    >
      <TextInput
        data-field="function"
        label="Function"
        description="Existing and new reports with this function anywhere on their stack go into a separate group."
        required
        value={name}
        list={list}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <datalist id={list}>
        {functions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  );
}
