// A modal dialog with a form, which shows why it failed above its buttons.
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { Problem } from './Problem.tsx';

type FormDialogProps = {
  title: string;
  /** The action, as its button says it: `Save search`. */
  submitLabel: string;
  isDisabled?: boolean;
  isBusy: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, isDisabled = false, isBusy, error, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack gap="md">
          {children}
          {error !== null && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isDisabled} loading={isBusy}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
