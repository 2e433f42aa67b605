// Opens the command palette with Ctrl-K, or ⌘K on a Mac, wherever the focus is. Its code is loaded when it is first opened.
import { lazy, Suspense, useEffect, useState } from 'react';

const CommandPalette = lazy(async () => ({
  default: (await import('./palette/CommandPalette.tsx')).CommandPalette,
}));

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** As the keys are labelled. */
export const PALETTE_KEYS = isMac ? ['⌘', 'K'] : ['Ctrl', 'K'];
const OPEN = 'open-palette';

export function openPalette(): void {
  dispatchEvent(new Event(OPEN));
}

export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const press = (event: KeyboardEvent) => {
      const isPressed = (isMac ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
      if (!isPressed || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // What a dialog is about comes first.
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
  return <Suspense>{isOpen && <CommandPalette onClose={() => setOpen(false)} />}</Suspense>;
}
