// Keeps what was used last, up to a weight: what a process would else read again for every request.

export type Recent<Key, Value> = {
  get(key: Key): Value | undefined;
  /** Keeps the value in place of one of the same key, and lets go of those that were not used for longest. */
  set(key: Key, value: Value, weight?: number): void;
  delete(key: Key): void;
};

/** `most` is the sum of the weights, each 1 unless given; a value heavier than that alone is not kept. */
export function createRecent<Key, Value>(most: number): Recent<Key, Value> {
  // A Map gives its keys in the order in which they came.
  const kept = new Map<Key, { value: Value; weight: number }>();
  let total = 0;
  const drop = (key: Key) => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    set(key, value, weight = 1) {
      drop(key);
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= most) break;
        drop(oldest);
      }
    },
    delete: drop,
  };
}
