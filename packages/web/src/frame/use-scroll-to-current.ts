// Scrolls a row of links, which can be wider than a phone, to the link of the current page.
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Returns the ref for the row. It scrolls until the link with `aria-current="page"` is in the middle. */
export function useScrollToCurrent() {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another current link
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (row.current === null || current == null) return;
    const start = current.offsetLeft - row.current.offsetLeft;
    row.current.scrollLeft = start - (row.current.clientWidth - current.offsetWidth) / 2;
  }, [pathname]);
  return row;
}
