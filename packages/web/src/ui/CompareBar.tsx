// What can be done with rows that are selected in a list to compare two of them.
import { Button, Group, Text } from '@mantine/core';
import { useShortcuts } from '../frame/use-shortcuts.ts';
import table from './table.module.css';

const SHORTCUTS = [{ name: 'compare', keys: ['c'], description: 'Compare two selected rows' }] as const;

/** The number that can be selected in a list. */
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
  useShortcuts(SHORTCUTS, () => {
    if (a !== undefined && b !== undefined) onCompare(a, b);
  });
  if (a === undefined) return null;
  return (
    <Group gap="sm" className={table.bulk} role="group" aria-label={`Selected ${itemName}s`}>
      <Text size="sm" fw={600} aria-live="polite">
        {b === undefined ? `1 selected. Select another ${itemName} to compare it with.` : '2 selected'}
      </Text>
      {b !== undefined && (
        <Button size="xs" onClick={() => onCompare(a, b)}>
          Compare
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}
