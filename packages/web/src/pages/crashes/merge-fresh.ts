// Merges the current first page into a list that someone is reading: known rows are updated in place, new ones are counted.

export type LiveRow<Item> = {
  readonly item: Item;
  /** The item is no longer in the list. Always false unless the whole list is known. */
  readonly isGone: boolean;
};

export type Merged<Item> = {
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
