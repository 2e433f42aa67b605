// A secret that is shown only once. Until it is copied, the visitor is asked before leaving the page.
import { useState } from 'react';
import { CopyText } from './CopyText.tsx';
import { UnsavedWarning } from './UnsavedWarning.tsx';

/** `label` names the secret for screen readers and in the warning: `secret key`. */
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
