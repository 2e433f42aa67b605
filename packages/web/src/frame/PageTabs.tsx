// A row of links to pages that belong together, such as those of a game. Its children are links with the class `tab`.
import type { ReactNode } from 'react';
import classes from './PageTabs.module.css';
import { useScrollToCurrent } from './use-scroll-to-current.ts';

export const { tab } = classes;

export function PageTabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useScrollToCurrent();
  return (
    <nav ref={row} className={classes.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
