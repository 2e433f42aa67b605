// Shows or hides the values of a chart as a table, for people who cannot point at its bars or see them.
import { Button } from '@mantine/core';

export function TableButton({ isShown, onChange }: { isShown: boolean; onChange: (isShown: boolean) => void }) {
  return (
    <Button size="xs" variant="default" aria-expanded={isShown} onClick={() => onChange(!isShown)}>
      {isShown ? 'Hide table' : 'Show as table'}
    </Button>
  );
}
