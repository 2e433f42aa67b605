// The way to a page from its section, as links: `Crashes / render::measure / Report`.
import type { ReactNode } from 'react';
import classes from './Trail.module.css';

type TrailProps = {
  /** Links to the pages above, the highest first. */
  parents: readonly { readonly key: string; readonly link: ReactNode }[];
  /** What the page is; undefined while it is loading. */
  current: string | undefined;
};

export function Trail({ parents, current }: TrailProps) {
  return (
    <nav aria-label="Breadcrumb" className={classes.trail}>
      <ol>
        {parents.map(({ key, link }) => (
          <li key={key}>{link}</li>
        ))}
        <li aria-current="page" title={current}>
          {current ?? '…'}
        </li>
      </ol>
    </nav>
  );
}
