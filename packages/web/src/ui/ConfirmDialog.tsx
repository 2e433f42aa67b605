// Asks before something is lost for good: says what, and offers to keep it first.
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { Problem } from './Problem.tsx';

type ConfirmDialogProps = {
  title: string;
  /** What its button does, such as `Delete it`. */
  does: string;
  isBusy?: boolean;
  /** Why it could not be done; null when nothing is wrong. */
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** What is lost, and for whom. */
  children: ReactNode;
};

export function ConfirmDialog({ title, does, isBusy, error = null, onConfirm, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack gap="md">
        {children}
        {error !== null && <Problem error={error} again={onConfirm} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button color="red.9" loading={isBusy ?? false} onClick={onConfirm}>
            {does}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
