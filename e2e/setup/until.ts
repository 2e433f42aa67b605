// Waits for what the service does by itself, and for what a page shows once it is answered.
import { setTimeout as wait } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

const PATIENCE_MS = 60_000;
/** Between two questions: without it, a test that waits takes the processor from what it waits for. */
const BREATH_MS = 25;

/** Asks again until `probe` answers something. Fails after a minute with what `fault` says. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false>,
  fault: () => string = () => 'waited a minute in vain',
): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await wait(BREATH_MS)) {
    const found = await probe();
    if (found) return found;
  }
  throw new Error(fault());
}

/** Reads again until that equals `expected`, for a minute: while it loads, a page shows what it showed before. */
export async function untilEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let last: T | undefined;
  const isEqual = async () => {
    last = await read();
    return isDeepStrictEqual(last, expected);
  };
  await until(isEqual, () => `after a minute ${inspect(last)} in place of ${inspect(expected)}`);
}
