// Decides the order of the rows of a table, and which of them are selected.

export type Sorting = { readonly header: string; readonly direction: 'ascending' | 'descending' };

type SortableColumn<Row> = { readonly header: string; readonly compare?: (a: Row, b: Row) => number };

/** Sorts by the pressed header: ascending first, then descending, then in the original order (null). */
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

/**
 * Extends the selection to another row, as a press with Shift does. `ids` has all rows in their order, and `selected`
 * is in the order of selection. At most `max` rows are selected.
 */
export function selectTo(ids: readonly string[], selected: readonly string[], to: string, max: number): string[] {
  const last = selected.at(-1);
  const [from, until] = [last === undefined ? -1 : ids.indexOf(last), ids.indexOf(to)];
  if (from === -1 || until === -1) return [...selected, to];
  const between = ids.slice(Math.min(from, until), Math.max(from, until) + 1).filter((id) => id !== to);
  // These rows are added away from the last one, so that the next press continues from `to`.
  const added = (from < until ? between : between.toReversed()).filter((id) => !selected.includes(id));
  return [...selected, ...added, to].slice(0, max);
}

export type LiveRow<Item> = {
  readonly item: Item;
  /** The item is no longer in the list. Always false unless the whole list is known. */
  readonly isGone: boolean;
};

type Merged<Item> = {
  readonly rows: readonly LiveRow<Item>[];
  /** The number of new items. */
  readonly arrivals: number;
  /** Whether there may be new items beyond the first page. */
  readonly hasMore: boolean;
};

/** `shown` are the items on the screen, `fresh` is the current first page; `isWhole` if that page is the whole list. */
export function mergeFresh<Item>(
  shown: readonly Item[],
  fresh: readonly Item[],
  { idOf, isWhole }: { idOf: (item: Item) => string; isWhole: boolean },
): Merged<Item> {
  const freshById = new Map(fresh.map((item) => [idOf(item), item]));
  const shownIds = new Set(shown.map(idOf));
  const arrivals = fresh.filter((item) => !shownIds.has(idOf(item))).length;
  return {
    rows: shown.map((item) => ({
      item: freshById.get(idOf(item)) ?? item,
      isGone: isWhole && !freshById.has(idOf(item)),
    })),
    arrivals,
    hasMore: !isWhole && arrivals === fresh.length,
  };
}
