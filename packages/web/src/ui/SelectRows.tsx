// Selects rows of a list: the column with the checkboxes, what is selected, and the bar with what can be done with them.
import { Button, Group, Text } from '@mantine/core';
import { type ChangeEvent, type ReactNode, useEffect, useState } from 'react';
import { useListPosition } from '../frame/going-back.ts';
import { useShortcuts } from '../frame/shortcuts.ts';
import type { Column } from './DataTable.tsx';
import table from './table.module.css';
import { selectTo } from './table-rows.ts';

type SelectColumn<Row> = {
  /** The ids of the selected rows, in the order in which they were selected. */
  readonly selected: readonly string[];
  readonly onSelect: (ids: readonly string[]) => void;
  readonly idOf: (row: Row) => string;
  /** What identifies the row: `1.2.0 for Linux`. */
  readonly nameOf: (row: Row) => string;
  /** Once this many rows are selected, the others can't be. */
  readonly max: number;
  readonly isGone?: (row: Row) => boolean;
  /** All rows, for lists in which all can be selected at once. */
  readonly rows?: readonly Row[];
};

/**
 * The first column of a list in which rows can be selected: a checkbox, which the key x toggles in the focused row.
 * With Shift, it also selects the rows up to the last selected row. The checkbox is the browser's own, because the
 * library's would add several files to all lists.
 */
export function selectColumn<Row>(selection: SelectColumn<Row>): Column<Row> {
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

function SelectAll<Row>({ selected, onSelect, idOf, max, isGone, rows }: SelectColumn<Row> & { rows: readonly Row[] }) {
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

type Selection = readonly [selected: readonly string[], select: (ids: readonly string[]) => void];

/**
 * The ids of the selected rows, in the order in which they were selected. Going back to the list selects them again.
 * `listName` is unique on the page.
 */
export function useSelection(listName: string): Selection {
  const { restored, save } = useListPosition<readonly string[]>(`selection of ${listName}`);
  const [selected, setSelected] = useState(restored ?? []);
  useEffect(() => save(selected), [save, selected]);
  return [selected, setSelected];
}

const SHORTCUTS = [{ name: 'compare', keys: ['c'], description: 'Compare two selected rows' }] as const;

/** How many rows can be selected to compare them. */
export const MAX_COMPARED = 2;

type CompareBarProps = {
  /** The ids of the selected rows. */
  selected: readonly string[];
  /** What the list holds: `build`. */
  itemName: string;
  onCompare: (a: string, b: string) => void;
  onClear: () => void;
  /** What else can be done with the rows. */
  children?: ReactNode;
};

/** Says how many rows are selected, compares two of them, and has the other actions. */
export function CompareBar({ selected, itemName, onCompare, onClear, children }: CompareBarProps) {
  const [a, b] = selected;
  const isPair = selected.length === 2;
  useShortcuts(SHORTCUTS, () => {
    if (isPair && a !== undefined && b !== undefined) onCompare(a, b);
  });
  if (a === undefined) return null;
  return (
    <Group gap="sm" className={table.bulk} role="group" aria-label={`Selected ${itemName}s`}>
      <Text size="sm" fw={600} aria-live="polite">
        {b === undefined && children === undefined
          ? `1 selected. Select another ${itemName} to compare it with.`
          : `${selected.length} selected`}
      </Text>
      {children}
      {isPair && b !== undefined && (
        <Button size="xs" variant={children === undefined ? 'filled' : 'default'} onClick={() => onCompare(a, b)}>
          Compare
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}
