// Lists what an action will change, above its button.
import { Text } from '@mantine/core';
import { useId } from 'react';
import classes from './Consequences.module.css';

export function Consequences({ lines }: { lines: readonly string[] }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={classes.box}>
      <Text size="sm" fw={600} id={titleId}>
        What will change
      </Text>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
