// Waits for background work of the server, and for the content of a page that is loading.
import { setTimeout as wait } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

const PATIENCE_MS = 60_000;
/** The pause between two attempts. Without it, a waiting test would compete for CPU with what it waits for. */
const PAUSE_MS = 10;

/** Calls `probe` until it returns a value. Throws the message of `fault` after a minute, or this many milliseconds. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false>,
  fault: () => string = () => 'timed out after a minute',
  patienceMs = PATIENCE_MS,
): Promise<T> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(PAUSE_MS)) {
    const value = await probe();
    if (value) return value;
  }
  throw new Error(fault());
}

/**
 * Calls `read` until it returns `expected`, for at most a minute: while a page is loading, it shows its previous
 * content.
 */
export async function untilEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let last: T | undefined;
  const isEqual = async () => {
    last = await read();
    return isDeepStrictEqual(last, expected);
  };
  await until(isEqual, () => `after a minute ${inspect(last)} instead of ${inspect(expected)}`);
}
