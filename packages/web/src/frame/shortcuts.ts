// Keyboard shortcuts of one or two keys: which one was pressed, what listens for them, and what they do in lists.
import { useEffect, useRef } from 'react';

export type Shortcut<Name extends string = string> = {
  readonly name: Name;
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** What it does, for the list of shortcuts. */
  readonly description: string;
  /** Whether the page has what it acts on. By default, it does. */
  readonly isAvailable?: () => boolean;
};

/** Returns the shortcut that `key` completes, if any, and the keys of a shortcut that is still incomplete. */
export function pressKey<Name extends string>(
  shortcuts: readonly Shortcut<Name>[],
  pressed: readonly string[],
  key: string,
): { match?: Shortcut<Name>; pressed: readonly string[] } {
  const sequence = [...pressed, key];
  const candidates = shortcuts.filter(({ keys }) => sequence.every((each, index) => keys[index] === each));
  const match = candidates.find(({ keys }) => keys.length === sequence.length);
  if (match !== undefined) return { match, pressed: [] };
  if (candidates.length > 0) return { pressed: sequence };
  return pressed.length === 0 ? { pressed: [] } : pressKey(shortcuts, [], key);
}

/** The shortcuts of everything on the page, in the order in which its parts were shown. */
const active = new Set<readonly Shortcut[]>();

/** What the list of shortcuts shows. */
export function activeShortcuts(): readonly Shortcut[] {
  return [...active].flat().filter(({ isAvailable }) => isAvailable?.() !== false);
}

/** Listens for keyboard shortcuts on the whole page, except in text fields and while a dialog is open. */
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
      if (result.match === undefined || result.match.isAvailable?.() === false) return;
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

/** A checkbox, such as that of a row, takes no letters, and neither does a choice, such as a filter. */
const TAKES_KEYS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="menu"]';

function isTaken(target: EventTarget | null): boolean {
  const takesKeys = target instanceof Element && target.closest(TAKES_KEYS);
  return Boolean(takesKeys) || document.querySelector('dialog[open]') !== null;
}

/** Moves the focus to the next or previous row of a list, also from another control in a row. */
export function moveAmongRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const focused = document.activeElement as HTMLElement;
  const own = rows.includes(focused) ? focused : focusedRow()?.querySelector<HTMLElement>('[data-row]');
  const at = own == null ? -1 : rows.indexOf(own);
  const next = at === -1 ? (step === 1 ? rows[0] : rows.at(-1)) : rows[at + step];
  next?.focus();
}

/** Selects the focused row of a list, or removes it from the selection. */
export function selectRow(): void {
  focusedRow()?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
}

function focusedRow(): Element | null {
  return document.activeElement?.closest('tr') ?? null;
}

/** Each returns whether the page has what a shortcut acts on. */
export const hasSearch = () => has('[data-search]');
export const hasRows = () => has('[data-row]');
export const hasSelection = () => has('tbody input[type="checkbox"]');

function has(selector: string): boolean {
  return document.querySelector(selector) !== null;
}

export function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>('[data-search]');
  box?.focus();
  // The cursor goes to the end, to continue after what is there.
  box?.setSelectionRange(box.value.length, box.value.length);
}
