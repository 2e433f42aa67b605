// Runs an asynchronous step on several items at once and hands on its results in the order of the items.

/** Yields `step(item)` for each item, with at most `ahead` of them running or waiting to be taken. */
export async function* mapInOrder<T, U>(
  items: Iterable<T>,
  ahead: number,
  step: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const running: Promise<U>[] = [];
  try {
    for (const item of items) {
      const result = step(item);
      result.catch(() => {}); // it is awaited in its turn; until then its failure must not count as unhandled
      running.push(result);
      if (running.length >= ahead) yield await (running.shift() as Promise<U>);
    }
    for (let next = running.shift(); next !== undefined; next = running.shift()) yield await next;
  } finally {
    await Promise.allSettled(running);
  }
}
