// Listens for keyboard shortcuts on the whole page, except in text fields and while a dialog is open.
import { useEffect, useRef } from 'react';
import { pressKey, type Shortcut } from './shortcuts.ts';

/** The shortcuts of everything on the page, in the order in which its parts were shown. */
const active = new Set<readonly Shortcut[]>();

/** For the list of shortcuts. */
export function activeShortcuts(): readonly Shortcut[] {
  return [...active].flat();
}

export function useShortcuts<Name extends string>(
  shortcuts: readonly Shortcut<Name>[],
  onShortcut: (name: Name) => void,
): void {
  const latest = useRef(onShortcut);
  latest.current = onShortcut;
  useEffect(() => {
    let pressed: readonly string[] = [];
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key === 'Shift' || isTaken(event.target)) return;
      const result = pressKey(shortcuts, pressed, event.key);
      pressed = result.pressed;
      if (result.match === undefined) return;
      event.preventDefault();
      latest.current(result.match.name);
    };
    window.addEventListener('keydown', listen);
    active.add(shortcuts);
    return () => {
      window.removeEventListener('keydown', listen);
      active.delete(shortcuts);
    };
  }, [shortcuts]);
}

function isTaken(target: EventTarget | null): boolean {
  const takesKeys =
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="menu"]');
  return Boolean(takesKeys) || document.querySelector('dialog[open]') !== null;
}

/** Moves the focus to the next or previous row of a list. */
export function moveAmongRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? rows[0] : rows.at(-1)) : rows[at + step];
  next?.focus();
}

export function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>('[data-search]');
  box?.focus();
  // To continue after what is there.
  box?.setSelectionRange(box.value.length, box.value.length);
}
