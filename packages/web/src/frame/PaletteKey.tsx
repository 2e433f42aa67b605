// Opens the command palette with Ctrl-K, or ⌘K on a Mac, wherever the focus is. Its code is loaded when it is first
// opened.
import { Suspense, useEffect, useRef, useState } from 'react';
import { useKeepDraft, useKeptDraft } from './keep-typed.ts';
import { lazyPart } from './load-code.ts';

const CommandPalette = lazyPart(async () => (await import('./palette/CommandPalette.tsx')).CommandPalette);

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** The keys, as they are labelled. */
export const PALETTE_KEYS = isMac ? ['⌘', 'K'] : ['Ctrl', 'K'];
const OPEN = 'open-palette';

export function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

export function PaletteKey() {
  // After an update of the server, the code of the palette may be missing. Then the site reloads.
  const kept = useKeptDraft<{ typed: string }>('palette');
  const [isOpen, setOpen] = useState(kept !== undefined);
  useEffect(() => {
    const open = () => setOpen(true);
    const press = (event: KeyboardEvent) => {
      const isPressed = (isMac ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
      if (!isPressed || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // The palette doesn't open over a dialog, which has to be answered first.
      if (document.querySelector('dialog[open]') === null) open();
      else setOpen(false);
    };
    addEventListener('keydown', press);
    addEventListener(OPEN, open);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener(OPEN, open);
    };
  }, []);
  const typed = useTypedAhead(kept?.typed ?? '', isOpen, () => setOpen(false));
  useKeepDraft('palette', () => (isOpen ? { typed: typed() } : undefined));
  return <Suspense>{isOpen && <CommandPalette typed={typed} onClose={() => setOpen(false)} />}</Suspense>;
}

/**
 * Collects what is typed while the code of the palette is loading. Otherwise, the keys would be shortcuts of the page.
 */
function useTypedAhead(start: string, isOpen: boolean, onClose: () => void): () => string {
  const typed = useRef(start);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen) return;
    const collect = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'Escape') close.current();
      else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1);
      else if ([...event.key].length === 1) typed.current += event.key;
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener('keydown', collect, { capture: true });
    return () => {
      removeEventListener('keydown', collect, { capture: true });
      typed.current = '';
    };
  }, [isOpen]);
  return () => typed.current;
}
