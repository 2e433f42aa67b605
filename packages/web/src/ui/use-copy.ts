// Copies text, and the state of a button that does it: for a moment, it shows whether that worked.
import { useEffect, useState } from 'react';

const SHOWN_MS = 2000;

type Copy = {
  readonly state: 'idle' | 'copied' | 'failed';
  /** Resolves with whether the text was copied. */
  readonly copy: (text: string) => Promise<boolean>;
};

export function useCopy(): Copy {
  const [state, setState] = useState<Copy['state']>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    const isCopied = await writeClipboard(text);
    setState(isCopied ? 'copied' : 'failed');
    return isCopied;
  };
  return { state, copy };
}

/** Returns false if the browser doesn't allow it. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // Content outside an open dialog can't be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
