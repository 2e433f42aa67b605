// Runs an asynchronous step on several items concurrently and yields the results in the order of the items.

/** Yields `step(item)` for each item, with at most `ahead` steps running or finished ahead of the consumer. */
export async function* mapInOrder<T, U>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  step: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const running: Promise<U>[] = [];
  try {
    for (;;) {
      const found = iterator.next();
      const next = found instanceof Promise ? await found : found;
      if (next.done) break;
      const result = step(next.value);
      result.catch(() => {}); // Awaited later; until then, a failure must not count as unhandled.
      running.push(result);
      if (running.length >= ahead) yield await (running.shift() as Promise<U>);
    }
    for (let next = running.shift(); next !== undefined; next = running.shift()) yield await next;
  } finally {
    await Promise.allSettled(running);
    await iterator.return?.();
  }
}
