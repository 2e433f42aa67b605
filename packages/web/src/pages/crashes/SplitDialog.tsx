// The dialog that splits a crash group by a function on the stack.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Autocomplete, Stack } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogButtons } from '../../ui/DialogButtons.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

export type SplitButtonProps = { group: GroupDetail; stack: CrashStack | undefined; triage: Triage };

export function SplitDialog({ group, stack, triage, onClose }: SplitButtonProps & { onClose: () => void }) {
  const [name, setName] = useState('');
  const form = useTriageForm(triage, onClose);
  const functions = [...new Set(stack?.crashed?.frames.flatMap((frame) => frame.function ?? []))];
  return (
    <Dialog title="Split crash group" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          form.submit({
            kind: 'split',
            input: { group_id: group.group_id, function: name },
            message: `Reports with ${name} on their stack are moving to a group of their own.`,
          });
        }}
      >
        <Stack gap="md">
          <Autocomplete
            data-field="function"
            label="Function"
            description="Reports with this function anywhere on their stack get a group of their own, and so do new ones."
            data={functions}
            required
            value={name}
            onChange={setName}
            maxDropdownHeight={220}
            comboboxProps={{ withinPortal: false }}
            data-autofocus
          />
          {form.error !== null && <Problem error={form.error} />}
          <DialogButtons submitLabel="Split group" isBusy={form.isBusy} isDisabled={name === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
