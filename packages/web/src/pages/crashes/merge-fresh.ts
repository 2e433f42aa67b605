// Brings what is new into a list that somebody reads, without moving anything: rows are changed in place, and others wait to be asked for.

export type Merged<Item> = {
  readonly rows: readonly {
    readonly item: Item;
    /** It is no longer in the list; known only where the whole list is at hand. */
    readonly isGone: boolean;
  }[];
  /** How many items wait. */
  readonly arrivals: number;
  /** Whether there may be more of them than were looked at. */
  readonly hasMore: boolean;
};

/** `shown` is what the reader has, `fresh` the first page as it is now; `isWhole` where that is all there is. */
export function mergeFresh<Item>(
  shown: readonly Item[],
  fresh: readonly Item[],
  { idOf, isWhole }: { idOf: (item: Item) => string; isWhole: boolean },
): Merged<Item> {
  const now = new Map(fresh.map((item) => [idOf(item), item]));
  const known = new Set(shown.map(idOf));
  const arrivals = fresh.filter((item) => !known.has(idOf(item))).length;
  return {
    rows: shown.map((item) => ({ item: now.get(idOf(item)) ?? item, isGone: isWhole && !now.has(idOf(item)) })),
    arrivals,
    hasMore: !isWhole && arrivals === fresh.length,
  };
}
