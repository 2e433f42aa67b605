// Asks before leaving a page on which something would be lost: unsaved changes of a form, unsent text or a secret. Within
// the site, a dialog asks; otherwise the browser does.
import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { isReloadingSite } from '../frame/load-code.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

type UnsavedWarningProps = {
  /** Whether something would be lost now. */
  isActive: boolean;
  /** Whether it was typed, in which case it is kept when the site reloads automatically. */
  isTyped?: boolean;
  title: string;
  /** What would be lost, as a sentence. */
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

type UnsavedChangesProps = {
  isChanged: boolean;
  /** What the form changes: `listing`. */
  name: string;
};

/** Asks before leaving a page whose form has unsaved changes. */
export function UnsavedChanges({ isChanged, name }: UnsavedChangesProps) {
  return (
    <UnsavedWarning isActive={isChanged} title="Leave without saving?" leaveLabel="Leave without saving">
      {`Your changes to the ${name} are lost.`}
    </UnsavedWarning>
  );
}

type UnsentTextProps = {
  text: string;
  /** What the text is: `comment`. */
  name: string;
};

/** Asks before leaving a page with typed text that was not sent, such as a comment. */
export function UnsentText({ text, name }: UnsentTextProps) {
  return (
    <UnsavedWarning isActive={text.trim() !== ''} title={`Leave without your ${name}?`} leaveLabel="Leave without it">
      {`The ${name} you typed is lost.`}
    </UnsavedWarning>
  );
}
