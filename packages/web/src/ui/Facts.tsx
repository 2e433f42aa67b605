// Names with values: lists of facts, the main numbers of a page, and values that need an explanation.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

type FactsProps = {
  facts: readonly Fact[];
  /** Shows two columns where there is room. */
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

export type Figure = {
  readonly name: string;
  readonly value: ReactNode;
  /** What the number is a part of, or why it is missing. */
  readonly note?: string | undefined;
};

/** Shows the main numbers of a page in a row, each below its name. */
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

/** Shows a size in bytes, with the exact number on hover. */
export function Bytes({ count }: { count: number }) {
  return <span title={`${formatNumber(count)} bytes`}>{formatBytes(count)}</span>;
}

/** Shows a text that a program reported about itself, marked as unverified. */
export function Unverified({ text }: { text: string }) {
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      “{text}”{' '}
      <Text span size="xs" c="dimmed">
        unverified
      </Text>
    </span>
  );
}
