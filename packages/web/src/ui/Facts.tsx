// A list of names and values.
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

type FactsProps = {
  facts: readonly Fact[];
  /** Two columns where there is room. */
  hasColumns?: boolean;
};

export function Facts({ facts, hasColumns = false }: FactsProps) {
  return (
    <dl className={classes.facts} data-columns={hasColumns || undefined}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
