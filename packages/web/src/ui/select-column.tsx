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
  /** All rows, for lists in which all can be selected at once. */
  readonly rows?: readonly Row[];
};

export function selectColumn<Row>(selection: Selection<Row>): Column<Row> {
  const { selected, onSelect, idOf, nameOf, max, isGone, rows } = selection;
  const toggle = (id: string) =>
    onSelect(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id]);
  return {
    header: 'Select',
    isHeaderHidden: true,
    ...(rows !== undefined && { headerCell: <SelectAll {...selection} rows={rows} /> }),
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

function SelectAll<Row>({ selected, onSelect, idOf, max, isGone, rows }: Selection<Row> & { rows: readonly Row[] }) {
  const ids = rows.filter((row) => isGone?.(row) !== true).map(idOf);
  const isAllSelected = ids.length > 0 && ids.every((id) => selected.includes(id));
  return (
    <Checkbox
      size="xs"
      aria-label="Select all rows"
      checked={isAllSelected}
      indeterminate={selected.length > 0 && !isAllSelected}
      disabled={ids.length === 0}
      onChange={() => onSelect(isAllSelected ? [] : ids.slice(0, max))}
    />
  );
}
