// The main numbers of a page in a row, each below its name.
import type { ReactNode } from 'react';
import classes from './Figures.module.css';

export type Figure = {
  readonly name: string;
  readonly value: ReactNode;
  /** What it is a part of, or why it is missing. */
  readonly note?: string | undefined;
};

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> {note !== undefined && <span>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
