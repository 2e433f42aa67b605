// Asks before a page is left on which something would be lost: within the site with a dialog, otherwise by the browser.
import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { isReloadingSite } from '../frame/load-code.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

type UnsavedWarningProps = {
  /** Whether something would be lost now. */
  isActive: boolean;
  /** Whether it was typed, in which case it is kept when the site reloads by itself. */
  isTyped?: boolean;
  title: string;
  /** What is lost. */
  children: string;
  /** The button that leaves the page: `Leave without saving`. */
  leaveLabel: string;
  stayLabel?: string;
};

export function UnsavedWarning({
  isActive,
  isTyped = true,
  title,
  children,
  leaveLabel,
  stayLabel = 'Stay',
}: UnsavedWarningProps) {
  const blocker = useBlocker({
    // A change of the address that stays on the page, such as a filter, loses nothing.
    shouldBlockFn: ({ current, next }) => isActive && current.pathname !== next.pathname,
    enableBeforeUnload: () => isActive && !(isTyped && isReloadingSite()),
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={leaveLabel}
      cancelLabel={stayLabel}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <Text size="sm">{children}</Text>
    </ConfirmDialog>
  );
}
