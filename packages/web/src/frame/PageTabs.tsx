// A row of links to pages that belong together, such as those of a game. Its children are links with the class `tab`.
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './PageTabs.module.css';

export const { tab } = classes;

export function PageTabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useScrollToCurrent();
  return (
    <nav ref={row} className={classes.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

/**
 * Scrolls a row of links, which can be wider than a phone, until the link with `aria-current="page"` is in the middle.
 * Returns the ref for the row.
 */
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
