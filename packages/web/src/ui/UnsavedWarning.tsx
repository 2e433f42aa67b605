// Asks before leaving a page on which something would be lost: unsaved changes of a form, unsent text or a secret.
// Within the site, a dialog asks; otherwise the browser does.
import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { isReloadingSite } from '../frame/load-code.ts';
import { CopyText } from './CopyText.tsx';
import { ConfirmDialog } from './Dialog.tsx';

type UnsavedWarningProps = {
  /** Whether something would be lost now. */
  isActive: boolean;
  /** Whether it was typed. Typed text is kept when the site reloads automatically. */
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
      {`The ${name} you typed will be lost.`}
    </UnsavedWarning>
  );
}

/**
 * Shows a secret, which is shown only once. Until it is copied, the visitor is asked before leaving the page. `label`
 * names it for screen readers and in the warning: `secret key`.
 */
export function SecretText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState('');
  return (
    // The second event is for people who select the text and copy it by keyboard.
    <div onCopy={() => setCopied(text)}>
      <CopyText text={text} label={label} block onCopied={() => setCopied(text)} />
      <SecretWarning isActive={copied !== text} label={label} />
    </div>
  );
}

type SecretWarningProps = {
  isActive: boolean;
  /** The name of the secret: `secret key`. */
  label: string;
};

/** Asks before leaving the page while it shows a secret that was not copied. */
export function SecretWarning({ isActive, label }: SecretWarningProps) {
  return (
    <UnsavedWarning
      isActive={isActive}
      isTyped={false}
      title={`Leave without the ${label}?`}
      leaveLabel="Leave without it"
    >
      {`You haven't copied the ${label}, and you won't see it again.`}
    </UnsavedWarning>
  );
}
