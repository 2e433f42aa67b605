// Caches of a process: of the most recently used values up to a total weight, and of one value for a while.

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

/** Returns a function that reads the value at most once within `ms`. A failure isn't remembered. */
export function cacheFor<Value>(ms: number): (now: Date, read: () => Promise<Value>) => Promise<Value> {
  let cached: { readonly at: number; readonly value: Promise<Value> } | undefined;
  return (now, read) => {
    const age = now.getTime() - (cached?.at ?? Number.NEGATIVE_INFINITY);
    if (cached !== undefined && age >= 0 && age < ms) return cached.value;
    const next = { at: now.getTime(), value: read() };
    cached = next;
    // Current callers get the failure; later callers try again.
    next.value.catch(() => {
      if (cached === next) cached = undefined;
    });
    return next.value;
  };
}
