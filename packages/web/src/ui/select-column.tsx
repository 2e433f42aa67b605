// The first column of a list in which rows can be selected: a checkbox, which the key x toggles in the focused row.
import { Checkbox } from '@mantine/core';
import type { Column } from './DataTable.tsx';

type Selection<Row> = {
  /** The ids of the selected rows, in the order in which they were selected. */
  readonly selected: readonly string[];
  readonly onSelect: (ids: readonly string[]) => void;
  readonly idOf: (row: Row) => string;
  /** What identifies the row: `1.2.0 for Linux`. */
  readonly nameOf: (row: Row) => string;
  /** The other rows cannot be selected once so many are. */
  readonly max: number;
  readonly isGone?: (row: Row) => boolean;
};

export function selectColumn<Row>({ selected, onSelect, idOf, nameOf, max, isGone }: Selection<Row>): Column<Row> {
  const toggle = (id: string) =>
    onSelect(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id]);
  return {
    header: 'Select',
    isHeaderHidden: true,
    width: 36,
    cell: (row) => {
      const id = idOf(row);
      const isSelected = selected.includes(id);
      return (
        <Checkbox
          size="xs"
          aria-label={`Select ${nameOf(row)}`}
          checked={isSelected}
          disabled={isGone?.(row) === true || (selected.length >= max && !isSelected)}
          onChange={() => toggle(id)}
        />
      );
    },
  };
}
