// Sets the title of the browser tab from the page that is open.
import { useEffect, useSyncExternalStore } from 'react';

/** Undefined until a page sets it. Until then the tab shows the title from the server. */
let current: string | undefined;
const listeners = new Set<() => void>();

/** Pages call it with their title: '' for the site itself, undefined while the title is loading. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    current = title;
    for (const listener of listeners) listener();
  }, [title]);
}

/** The frame calls it once. */
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
