// A secret that is shown only once. Until it was copied, the visitor is asked before leaving the page.
import { useState } from 'react';
import { CopyText } from './CopyText.tsx';
import { SecretWarning } from './SecretWarning.tsx';

/** `label` names the secret for screen readers and in the warning: `secret key`. */
export function SecretText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState('');
  return (
    // The second event is for those who select the text and copy it by keyboard.
    <div onCopy={() => setCopied(text)}>
      <CopyText text={text} label={label} block onCopied={() => setCopied(text)} />
      <SecretWarning isActive={copied !== text} label={label} />
    </div>
  );
}
