// Knows which page the reader came from, so that a link back to it can go back in the browser's history instead: to the
// same filters, and to the same place.
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

type Entry = { readonly index: number; readonly pathname: string };

/** The pages of this visit, by their position in the history. */
const entries = new Map<number, string>();
let current: Entry = { index: 0, pathname: '' };

/** Called whenever a page is shown. */
export function notePage(entry: Entry): void {
  entries.set(entry.index, entry.pathname);
  current = entry;
}

/** Goes back from a page whose list is at `pathname`. */
export function useGoBack(pathname: string): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || entries.get(current.index - 1) !== pathname) return;
    event.preventDefault();
    router.history.back();
  };
}
