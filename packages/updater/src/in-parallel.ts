// Does the same for many things, a few at a time.

/** Calls `work` for each item. After an error, it begins no others, waits until the rest has ended, and rejects with the error. */
export async function inParallel<T>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const run = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      if (failure !== undefined) return;
      try {
        signal?.throwIfAborted();
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: count }, run));
  if (failure !== undefined) throw failure.error;
}
