// The facts of two reports as a table. Rows that differ are marked, also in words.
import { Text } from '@mantine/core';
import { ScrollBox } from '../../ui/ScrollBox.tsx';
import table from '../../ui/table.module.css';
import classes from './compare.module.css';
import type { ComparedFact } from './compare-facts.ts';

export function ComparedFacts({ facts }: { facts: readonly ComparedFact[] }) {
  if (facts.length === 0) return <Text size="sm">No differences.</Text>;
  return (
    <ScrollBox label="Facts of both reports" className={table.bleed}>
      <table className={classes.table} aria-label="Facts of both reports">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">First report</th>
            <th scope="col">Second report</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ name, a, b }) => (
            <tr key={name} data-different={a === b ? undefined : true}>
              <th scope="row">
                {a === b ? name : <strong>{name}</strong>}
                {a !== b && <span className={classes.mark}> ≠</span>}
              </th>
              <td>{a || '–'}</td>
              <td>{b || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
