// Asks for confirmation before something is deleted or revoked permanently.
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { Problem } from './Problem.tsx';

type ConfirmDialogProps = {
  title: string;
  /** The action, as its button says it: `Revoke key`. */
  confirmLabel: string;
  cancelLabel?: string;
  isBusy?: boolean;
  /** Why the action failed. */
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** What is lost, and who it affects. */
  children: ReactNode;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, cancelLabel = 'Cancel', isBusy = false, error = null } = props;
  const { onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack gap="md">
        {children}
        {error !== null && <Problem error={error} onRetry={onConfirm} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {cancelLabel}
          </Button>
          <Button color="red.9" loading={isBusy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
