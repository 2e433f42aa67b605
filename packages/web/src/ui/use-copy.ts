// The state of a button that copies a text: for a moment, it says whether that worked.
import { useEffect, useState } from 'react';
import { writeClipboard } from './clipboard.ts';

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
