// A cache of the most recently used values, up to a total weight.

export type Recent<Key, Value> = {
  get(key: Key): Value | undefined;
  /**
   * Stores the value, replacing an earlier one of the same key, and evicts the values that were not used for longest.
   */
  set(key: Key, value: Value, weight?: number): void;
  delete(key: Key): void;
};

/** Each value weighs 1 by default. A value heavier than `maxWeight`, the maximum total weight, is not stored. */
export function createRecent<Key, Value>(maxWeight: number): Recent<Key, Value> {
  // A Map iterates over its keys in insertion order.
  const kept = new Map<Key, { value: Value; weight: number }>();
  let total = 0;
  const drop = (key: Key) => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, weight = 1) {
      drop(key);
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= maxWeight) break;
        drop(oldest);
      }
    },
    delete: drop,
  };
}
