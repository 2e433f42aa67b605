// What can be done with rows that are selected in a list to compare two of them.
import { Button, Group, Text } from '@mantine/core';
import table from './table.module.css';

/** As many can be selected in a list. */
export const MAX_COMPARED = 2;

type CompareBarProps = {
  /** The ids of the selected rows. */
  selected: readonly string[];
  /** What the list holds: `build`. */
  itemName: string;
  onCompare: (a: string, b: string) => void;
  onClear: () => void;
};

export function CompareBar({ selected, itemName, onCompare, onClear }: CompareBarProps) {
  const [a, b] = selected;
  if (a === undefined) return null;
  return (
    <Group gap="sm" className={table.bulk} role="group" aria-label={`Selected ${itemName}s`}>
      <Text size="sm" fw={600} aria-live="polite">
        {b === undefined ? `1 selected. Select another ${itemName} to compare it with.` : '2 selected'}
      </Text>
      {b !== undefined && (
        <Button size="xs" data-compare onClick={() => onCompare(a, b)}>
          Compare
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}
