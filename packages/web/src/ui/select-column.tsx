// The first column of a list in which rows can be selected: a checkbox, which the key x toggles in the focused row. With
// Shift, it also selects the rows up to the last selected row. It is the browser's own, because the library's is
// several files that all lists would load.
import type { ChangeEvent } from 'react';
import type { Column } from './DataTable.tsx';
import { selectTo } from './select-to.ts';
import table from './table.module.css';

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
  const ids = rows?.filter((row) => isGone?.(row) !== true).map(idOf) ?? [];
  const toggle = (id: string, { nativeEvent }: ChangeEvent) => {
    if (selected.includes(id)) return onSelect(selected.filter((other) => other !== id));
    const withShift = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
    onSelect(withShift ? selectTo(ids, selected, id, max) : [...selected, id]);
  };
  return {
    header: 'Select',
    isHeaderHidden: true,
    ...(rows !== undefined && { headerCell: <SelectAll {...selection} rows={rows} /> }),
    width: 36,
    cell: (row) => {
      const id = idOf(row);
      const isSelected = selected.includes(id);
      return (
        <input
          type="checkbox"
          className={table.check}
          aria-label={`Select ${nameOf(row)}`}
          checked={isSelected}
          disabled={isGone?.(row) === true || (selected.length >= max && !isSelected)}
          onChange={(event) => toggle(id, event)}
        />
      );
    },
  };
}

function SelectAll<Row>({ selected, onSelect, idOf, max, isGone, rows }: Selection<Row> & { rows: readonly Row[] }) {
  const ids = rows.filter((row) => isGone?.(row) !== true).map(idOf);
  const isAllSelected = ids.length > 0 && ids.every((id) => selected.includes(id));
  return (
    <input
      type="checkbox"
      className={table.check}
      aria-label="Select all rows"
      checked={isAllSelected}
      ref={(box) => {
        if (box !== null) box.indeterminate = selected.length > 0 && !isAllSelected;
      }}
      disabled={ids.length === 0}
      onChange={() => onSelect(isAllSelected ? [] : ids.slice(0, max))}
    />
  );
}
