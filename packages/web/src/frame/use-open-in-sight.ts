// Keeps in sight the link of the page that is open, in a row of links that a phone is too narrow for.
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Answers the ref for the row: it is moved until the link with `aria-current="page"` is in its middle. */
export function useOpenInSight() {
  const row = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: at another page, another link is the one
  useEffect(() => {
    const open = row.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (row.current === null || open == null) return;
    const begin = open.offsetLeft - row.current.offsetLeft;
    row.current.scrollLeft = begin - (row.current.clientWidth - open.offsetWidth) / 2;
  }, [pathname]);
  return row;
}
