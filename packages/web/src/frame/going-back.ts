// Going back to a list, by a link or by the browser: it has the same filters and rows, and the focus on the row that
// was opened. Opening the list by another link starts at its top.
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent as ReactMouseEvent, useCallback, useEffect, useRef } from 'react';

type Entry = { readonly index: number; readonly pathname: string };

/** The pages of this visit, by their position in the history. */
const entries = new Map<number, string>();
let current: Entry = { index: 0, pathname: '' };

/** Called whenever a page is shown. */
export function notePage(entry: Entry): void {
  entries.set(entry.index, entry.pathname);
  current = entry;
}

/** Lets a link to the list at `pathname` go back in the browser's history, if the reader came from there. */
export function useGoBack(pathname: string): (event: ReactMouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || entries.get(current.index - 1) !== pathname) return;
    event.preventDefault();
    router.history.back();
  };
}

/** How many lists someone may go back through. */
const MAX_LISTS = 50;

type Position = { rows?: unknown; opened?: string };

/** The positions in lists, by the entry of the browser's history and the key of the list. */
const positions = new Map<string, Position>();

type ListPosition<Rows> = {
  /** What was saved when this entry of the history was last on the screen. */
  readonly restored: Rows | undefined;
  readonly save: (rows: Rows) => void;
};

/**
 * Remembers where the reader was in a list: the rows that were loaded, and the row that was opened. Going back to the
 * list shows the same rows again, with the focus on that row. Opening the list by a link starts at its top.
 */
export function useListPosition<Rows>(listKey: string): ListPosition<Rows> {
  const router = useRouter();
  const state = router.history.location.state as { __TSR_key?: string; key?: string };
  const key = useRef(`${state.__TSR_key ?? state.key ?? ''} ${listKey}`).current;
  const restored = useRef(positions.get(key)?.rows as Rows | undefined).current;
  useEffect(() => {
    const rememberOpened = (event: MouseEvent) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-row]') : null;
      if (row !== null) update(key, { opened: row.pathname });
    };
    // The capture phase comes before the router, which may unmount the list at once.
    document.addEventListener('click', rememberOpened, { capture: true });
    focusRow(positions.get(key)?.opened);
    return () => document.removeEventListener('click', rememberOpened, { capture: true });
  }, [key]);
  return { restored, save: useCallback((rows: Rows) => update(key, { rows }), [key]) };
}

function update(key: string, changes: Position): void {
  const position = { ...positions.get(key), ...changes };
  positions.delete(key);
  positions.set(key, position);
  const [oldest] = positions.keys();
  if (positions.size > MAX_LISTS && oldest !== undefined) positions.delete(oldest);
}

/** Scrolling is left to the router, which restores how far the page was scrolled. */
function focusRow(pathname: string | undefined): void {
  if (pathname === undefined) return;
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('a[data-row]')];
  rows.find((row) => row.pathname === pathname)?.focus({ preventScroll: true });
}
