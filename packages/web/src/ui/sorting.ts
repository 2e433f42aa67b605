// Sorts the rows of a table by the column whose header was pressed.

export type Sorting = { readonly header: string; readonly direction: 'ascending' | 'descending' };

type SortableColumn<Row> = { readonly header: string; readonly compare?: (a: Row, b: Row) => number };

/** Ascending first, then descending, then the original order (null). */
export function toggleSorting(sorting: Sorting | null, header: string): Sorting | null {
  if (sorting?.header !== header) return { header, direction: 'ascending' };
  return sorting.direction === 'ascending' ? { header, direction: 'descending' } : null;
}

export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const compare = columns.find(({ header }) => header === sorting?.header)?.compare;
  if (sorting === null || compare === undefined) return rows;
  return rows.toSorted(sorting.direction === 'ascending' ? compare : (a, b) => compare(b, a));
}
