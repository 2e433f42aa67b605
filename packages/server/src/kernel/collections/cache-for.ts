// Remembers one value for a while, and shares it while it is being read.

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
