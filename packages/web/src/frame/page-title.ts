// The title of the browser’s tab: that of the page, as its component names it.
import { useEffect, useSyncExternalStore } from 'react';

/** Undefined until a page has named itself: meanwhile the title is the one that the server wrote. */
let current: string | undefined;
const listeners = new Set<() => void>();

/** To be called by a page with what it is about; '' for the site itself, undefined while that is not known. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    current = title;
    for (const listener of listeners) listener();
  }, [title]);
}

/** To be called once, by the frame. */
export function usePageTitle(): void {
  const title = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  useEffect(() => {
    if (title !== undefined) document.title = title === '' ? 'Chauffeur' : `${title} · Chauffeur`;
  }, [title]);
}
