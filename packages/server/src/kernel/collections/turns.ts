// Lets work that takes long take turns with everything else that the process does.

/**
 * Returns a function whose promise resolves when it is the caller's turn. There is one turn per round of the event loop,
 * so what waits for bytes or for the database goes on between two of them.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
